(** Theorem 4: any number of arms K >= 2 and every step alpha < gap / r2, the whole range of the paper.
    E[regret] <= b E[cost] + A (1 - 1/K) / theta^2 + ((K - 1) / alpha) ln ((1 + alpha T / K) / (1 - alpha)). *)
From Coq Require Import Reals Lra Lia Psatz Arith List.
Require Import Samba Sums Play Step Drift Tail Bound Gaps Front.
Import ListNotations.
Open Scope R_scope.

Section EveryStep.
Variables arms best : nat.
Variable means : nat -> R.
Variables alpha r2 gap_max : R.  (* r2: no other arm has a larger mean; gap_max: no gap is larger *)
Let gap := means best - r2.
Let K := INR arms.
Hypothesis two : (2 <= arms)%nat.
Hypothesis best_arm : (best < arms)%nat.
Hypothesis others : forall i, (i < arms)%nat -> i <> best -> 0 <= means i <= r2 /\ means best - means i <= gap_max.
Hypothesis r2_positive : 0 < r2.
Hypothesis gap_positive : 0 < gap.
Hypothesis step : 0 < alpha < 1.
Hypothesis admissible : alpha * r2 < gap.

Definition rho : R := alpha * r2 / gap.
Definition room : R := gap * (1 - rho) / (2 * (1 + alpha) * r2).
Definition s_bar : R := Rmin 1 (room / (alpha * (1 + room))).
Definition theta : R := (1 - alpha) * s_bar / K.
Definition A : R := 2 * (1 + alpha) * spread best means r2 gap_max / (alpha * (1 - rho)).
Definition b : R := alpha * A / (2 * (theta * theta) * (1 - alpha)) + 2.
Let G := spread best means r2 gap_max.
Let some_arms : (0 < arms)%nat. Proof. lia. Qed.
Let K_at_least_2 : 2 <= K := arms_at_least_2 arms two.

Lemma rho_range : 0 < rho < 1.
Proof.
  assert (0 < alpha * r2) by (apply Rmult_lt_0_compat; lra). unfold rho. split; [apply Rdiv_lt_0_compat; lra|].
  apply Rmult_lt_reg_r with gap; [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma G_at_least_1 : 1 <= G.
Proof. exact (spread_at_least_1 arms best means r2 gap_max two best_arm others gap_positive). Qed.

Lemma A_positive : 0 < A.
Proof.
  assert (R := rho_range). assert (S := G_at_least_1). fold G in S. unfold A. fold G.
  apply Rdiv_lt_0_compat; apply Rmult_lt_0_compat; lra.
Qed.

Lemma alpha_A : alpha * A * (1 - rho) = 2 * (1 + alpha) * G.
Proof. assert (R := rho_range). unfold A. fold G. field. lra. Qed.

Lemma room_positive : 0 < room.
Proof.
  assert (R := rho_range). unfold room. apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|].
  apply Rmult_lt_0_compat; lra.
Qed.

Lemma room_is : 2 * (1 + alpha) * (r2 * room) = gap * (1 - rho).
Proof. unfold room. field. lra. Qed.

Lemma s_bar_range : 0 < s_bar <= 1.
Proof.
  assert (R := room_positive). unfold s_bar. split; [|apply Rmin_l]. apply Rmin_glb_lt; [lra|].
  apply Rdiv_lt_0_compat; [assumption|]. apply Rmult_lt_0_compat; lra.
Qed.

Lemma theta_range : 0 < theta /\ K * theta = (1 - alpha) * s_bar /\ theta <= 1 / 2 * (1 - alpha).
Proof.
  assert (S := s_bar_range). assert (K2 := K_at_least_2).
  assert (E : K * theta = (1 - alpha) * s_bar) by (unfold theta; field; lra).
  assert (P : 0 < theta) by (unfold theta; apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
  repeat split; auto. clear - E P S K2 step. nra.
Qed.

(** below s_bar the noise costs no more than the factor 1 + room *)
Lemma noise : forall s, 0 < s <= s_bar -> 0 < / (1 - alpha * s) <= 1 + room.
Proof.
  intros s Hs. assert (R := room_positive). assert (B := s_bar_range).
  assert (U : s <= room / (alpha * (1 + room))) by (apply Rle_trans with s_bar; [lra|apply Rmin_r]).
  assert (V : alpha * s <= room / (1 + room)).
  { apply (Rmult_le_compat_l alpha) in U; [|lra].
    replace (alpha * (room / (alpha * (1 + room)))) with (room / (1 + room)) in U by (field; lra). lra. }
  assert (W : / (1 + room) <= 1 - alpha * s).
  { replace (/ (1 + room)) with (1 - room / (1 + room)) by (field; lra). lra. }
  assert (P : 0 < / (1 + room)) by (apply Rinv_0_lt_compat; lra).
  split; [apply Rinv_0_lt_compat; lra|]. apply inv_le in W; [|assumption]. rewrite Rinv_inv in W. exact W.
Qed.

Lemma b_enough : alpha * A * (1 / (1 - alpha) + 1) <= b - 2 /\ alpha * A / (2 * (theta * theta)) <= b - 2 /\
  alpha * A / (4 * (theta * theta)) * (1 / (1 - alpha) + 1) <= b - 2.
Proof.
  assert (Ap := A_positive). destruct theta_range as (T1 & T2 & T3).
  assert (TT : 0 < theta * theta <= 1 / 4 * ((1 - alpha) * (1 - alpha))).
  { clear - T1 T3 step. split; nra. }
  assert (AA : 0 < alpha * A) by (apply Rmult_lt_0_compat; lra).
  unfold b. set (t := theta * theta) in *.
  set (u := alpha * A / (2 * t * (1 - alpha))).
  assert (U : 0 < u) by (unfold u; apply Rdiv_lt_0_compat; [lra|apply Rmult_lt_0_compat; lra]).
  replace (alpha * A * (1 / (1 - alpha) + 1)) with (u * (2 * t * (2 - alpha))) by (unfold u; field; lra).
  replace (alpha * A / (2 * t)) with (u * (1 - alpha)) by (unfold u; field; lra).
  replace (alpha * A / (4 * t) * (1 / (1 - alpha) + 1)) with (u * ((2 - alpha) / 2)) by (unfold u; field; lra).
  assert (2 * t * (2 - alpha) <= 1) by (clear - TT step; nra).
  repeat split; clear - H U step; nra.
Qed.

Section State.
Variable p : nat -> R.
Hypothesis p_valid : valid arms p.
Variable m : move.
Hypothesis m_lawful : lawful arms means is_law m.
Let mu i := mean_reward (shown m i).
Let c := cost m.
Let l := leader arms p.
Let f y := A * phi theta y.
Let theta_positive : 0 < theta := proj1 theta_range.
Let shown_means : forall i, (i < arms)%nat -> means i - c <= mu i <= means i + c := shown_means arms means m m_lawful.
Let cost_nonneg : 0 <= c := cost_nonneg arms best means best_arm m m_lawful.
Let nonneg_means : forall i, (i < arms)%nat -> 0 <= mu i := nonneg_means arms means m m_lawful.
Let positive : forall i, (i < arms)%nat -> 0 < p i := positive arms p p_valid.
Let l_arm : (l < arms)%nat := leader_is_arm arms some_arms p.

Lemma leader_at_least : theta <= p l * (1 - alpha) /\ 1 <= K * p l.
Proof.
  assert (L := leader_large arms some_arms p p_valid). fold l K in L. assert (Pl := positive l l_arm).
  destruct theta_range as (T1 & T2 & T3). assert (S := s_bar_range). assert (K2 := K_at_least_2).
  assert (H : 1 <= K * p l).
  { apply (Rmult_le_compat_r (p l)) in L; [|lra]. rewrite Rinv_l in L; lra. }
  split; [|exact H]. apply Rmult_le_reg_l with K; [lra|]. rewrite T2. clear - H S step. nra.
Qed.

(** ** The best arm leads: a round stays on the tangent, where only means count *)
Lemma one_round_best_leads : l = best ->
  regret arms best means p m + sum arms (fun i => p i * mu i * gain arms best alpha f p i) <= b * c.
Proof.
  intros E. rewrite drift_is, (logs_best_leads arms best alpha best_arm step p p_valid mu E).
  assert (Logs := paid_best_leads arms best means best_arm p p_valid m m_lawful).
  change (fun i => mean_reward (shown m i)) with mu in Logs. fold c in Logs.
  assert (Ap := A_positive). assert (Pb := positive best best_arm). assert (Hc := cost_nonneg).
  destruct leader_at_least as [Big _]. rewrite E in Big.
  assert (Front : front arms best alpha f p mu =
    A / (theta * theta) * sum arms (but best (fun i => alpha * (p i * p i) * (mu i - mu best)))).
  { assert (Lead := mean_shift_leader arms alpha some_arms p p_valid mu). fold l in Lead. rewrite E in Lead.
    transitivity (- (A / (theta * theta)) * sum arms (fun a => p a * mu a * shift arms alpha p best a best)).
    - rewrite <- sum_scale. unfold front. fold l. rewrite E. apply sum_ext. intros a Ha.
      assert (B := shift_bounded arms alpha some_arms step p p_valid a best Ha best_arm). fold l in B. rewrite E in B.
      unfold f. rewrite !phi_high; [unfold tangent; field; lra|nra|lra].
    - rewrite Lead. rewrite <- !but_scale. apply but_ext. intros. ring. }
  assert (Small : sum arms (but best (fun i => alpha * (p i * p i) * (mu i - mu best))) <= alpha * (2 * c) * (1 / 4)).
  { apply Rle_trans with (sum arms (but best (fun i => alpha * (2 * c) * p best * p i))).
    - apply but_le. intros i Hi N. assert (Pi := positive i Hi). destruct (others i Hi N) as [Hm _].
      assert (M := shown_means i Hi). assert (M' := shown_means best best_arm).
      assert (Li := leader_leads arms some_arms p i Hi). fold l in Li. rewrite E in Li.
      assert (P2 : 0 <= alpha * (p i * p i) <= alpha * (p best * p i)).
      { split; [apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]|].
        apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; lra. }
      apply Rle_trans with (alpha * (p i * p i) * (2 * c)).
      + apply Rmult_le_compat_l; [lra|]. unfold gap in gap_positive. lra.
      + replace (alpha * (2 * c) * p best * p i) with (alpha * (p best * p i) * (2 * c)) by ring.
        apply Rmult_le_compat_r; lra.
    - rewrite but_scale, (the_others arms best best_arm p p_valid), Rmult_assoc.
      apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|].
      assert (0 <= (p best - 1 / 2) * (p best - 1 / 2)) by apply Rle_0_sqr. lra. }
  assert (TT : 0 < A / (theta * theta)) by (apply Rdiv_lt_0_compat; [lra|apply Rmult_lt_0_compat; lra]).
  apply (Rmult_le_compat_l (A / (theta * theta))) in Small; [|lra]. rewrite Front.
  destruct b_enough as (_ & B & _). apply (Rmult_le_compat_r c) in B; [|assumption].
  replace (A / (theta * theta) * (alpha * (2 * c) * (1 / 4))) with (alpha * A / (2 * (theta * theta)) * c) in Small
    by (field; lra).
  assert (2 * c * (1 - p best) <= 2 * c * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** ** Another arm leads *)
Section Wrong.
Hypothesis wrong : l <> best.
Let s := p best / p l.
Let gap_l := means best - means l.
Let s_range : 0 < s <= 1 := ratio_range arms some_arms p p_valid best best_arm.

Lemma gap_below : gap <= gap_l /\ 0 <= means l <= r2.
Proof. destruct (others l l_arm wrong) as [H _]. split; [unfold gap, gap_l; lra|exact H]. Qed.

Lemma back : p best = s * p l.
Proof. assert (Pl := positive l l_arm). unfold s. field. lra. Qed.

Lemma share : 0 < 1 - alpha <= 1 - alpha * s.
Proof. assert (H := s_range). clear - H step. split; nra. Qed.

Lemma front_is : front arms best alpha f p mu =
  A * (p best * mu best * (phi theta (p best * (1 + alpha)) - phi theta (p best)) +
       p l * mu l * (phi theta (p best * (1 - alpha * s)) - phi theta (p best))).
Proof. rewrite (front_wrong_leads arms best alpha f best_arm p mu wrong). unfold f. fold l s. ring. Qed.

(** p(best) below theta: 1/p falls, since the noise is small there *)
Lemma falls_below_theta : p best < theta ->
  front arms best alpha f p mu <= - (G * gap_l) + alpha * A * (1 / (1 - alpha) + 1) * c.
Proof.
  intros Low. rewrite front_is. assert (Ap := A_positive). assert (Pb := positive best best_arm).
  assert (Pl := positive l l_arm). assert (Sh := share). assert (Hs := s_range). destruct gap_below as [Gl Rl].
  assert (Ml := shown_means l l_arm). assert (Mb := shown_means best best_arm). assert (Hc := cost_nonneg).
  assert (Nb := nonneg_means best best_arm). assert (Nl := nonneg_means l l_arm).
  destruct theta_range as (T1 & T2 & T3). destruct leader_at_least as [_ Kl]. assert (Sb := s_bar_range).
  assert (K2 := K_at_least_2).
  rewrite (phi_low theta (p best) Low).
  destruct (tangent_below theta T1 (p best * (1 + alpha)) ltac:(apply Rmult_lt_0_compat; lra)) as [_ U1].
  destruct (tangent_below theta T1 (p best * (1 - alpha * s)) ltac:(apply Rmult_lt_0_compat; lra)) as [_ U2].
  assert (D1 : p best * mu best * (phi theta (p best * (1 + alpha)) - / p best) <= - (alpha * (mu best / (1 + alpha)))).
  { apply Rle_trans with (p best * mu best * (/ (p best * (1 + alpha)) - / p best)).
    - apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra].
    - right. field. lra. }
  assert (D2 : p l * mu l * (phi theta (p best * (1 - alpha * s)) - / p best) <= alpha * (mu l * / (1 - alpha * s))).
  { apply Rle_trans with (p l * mu l * (/ (p best * (1 - alpha * s)) - / p best)).
    - apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra].
    - right. rewrite back. field. repeat split; lra. }
  (* s is at most s_bar *)
  assert (Ss : s <= s_bar).
  { assert (B := back). assert (K * p best <= (1 - alpha) * s_bar) by (rewrite <- T2; apply Rmult_le_compat_l; lra).
    assert (s * 1 <= s * (K * p l)) by (apply Rmult_le_compat_l; lra). rewrite B in H. clear - H H0 Sb step. nra. }
  destruct (noise s ltac:(lra)) as [N1 N2]. set (u := / (1 - alpha * s)) in *.
  assert (U : u <= 1 / (1 - alpha)) by (unfold u, Rdiv; rewrite Rmult_1_l; apply inv_le; lra).
  assert (Clean : (1 + alpha) * (means l * u) - means best <= - (gap_l * ((1 - rho) / 2))).
  { assert (Rm := room_is). assert (Rh := rho_range). assert (Rp := room_positive).
    assert (means l * u <= means l * (1 + room)) by (apply Rmult_le_compat_l; lra).
    assert (means l * room <= r2 * room) by (apply Rmult_le_compat_r; lra).
    assert (Er : alpha * r2 = rho * gap) by (unfold rho; field; lra).
    assert (alpha * means l <= alpha * r2) by (apply Rmult_le_compat_l; lra).
    assert ((1 + alpha) * (means l * u) <= (1 + alpha) * (means l + r2 * room)) by (apply Rmult_le_compat_l; lra).
    assert ((1 - rho) * gap <= (1 - rho) * gap_l) by (apply Rmult_le_compat_l; lra).
    assert (rho * gap <= rho * gap_l) by (apply Rmult_le_compat_l; lra).
    unfold gap_l in *. lra. }
  assert (Up : mu l * u <= (means l + c) * u) by (apply Rmult_le_compat_r; lra).
  assert (Cu : c * u <= c * (1 / (1 - alpha))) by (apply Rmult_le_compat_l; lra).
  assert (Down : (means best - c) / (1 + alpha) <= mu best / (1 + alpha)).
  { unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat|]; lra. }
  assert (Cd : c / (1 + alpha) <= c).
  { apply Rmult_le_reg_r with (1 + alpha); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; [|lra].
    clear - Hc step. nra. }
  assert (Both : mu l * u - mu best / (1 + alpha) <=
    - (gap_l * ((1 - rho) / 2)) / (1 + alpha) + (1 / (1 - alpha) + 1) * c).
  { assert (X : means l * u - means best / (1 + alpha) <= - (gap_l * ((1 - rho) / 2)) / (1 + alpha)).
    { apply Rmult_le_reg_r with (1 + alpha); [lra|].
      replace ((means l * u - means best / (1 + alpha)) * (1 + alpha))
        with ((1 + alpha) * (means l * u) - means best) by (field; lra).
      replace (- (gap_l * ((1 - rho) / 2)) / (1 + alpha) * (1 + alpha)) with (- (gap_l * ((1 - rho) / 2)))
        by (field; lra). exact Clean. }
    unfold Rdiv in *. lra. }
  assert (AA : 0 < alpha * A) by (apply Rmult_lt_0_compat; lra).
  apply (Rmult_le_compat_l (alpha * A)) in Both; [|lra].
  replace (alpha * A * (- (gap_l * ((1 - rho) / 2)) / (1 + alpha) + (1 / (1 - alpha) + 1) * c))
    with (- (alpha * A * (1 - rho) / (2 * (1 + alpha)) * gap_l) + alpha * A * (1 / (1 - alpha) + 1) * c) in Both
      by (field; lra).
  rewrite alpha_A in Both.
  replace (2 * (1 + alpha) * G / (2 * (1 + alpha))) with G in Both by (field; lra).
  apply Rle_trans with (A * (- (alpha * (mu best / (1 + alpha))) + alpha * (mu l * u))).
  - apply Rmult_le_compat_l; lra.
  - lra.
Qed.

(** p(best) above theta: the tangent falls; the noise only matters near theta, where s is at most s_bar *)
Lemma falls_above_theta : theta <= p best ->
  front arms best alpha f p mu <= - (G * gap_l) + alpha * A / (4 * (theta * theta)) * (1 / (1 - alpha) + 1) * c.
Proof.
  intros High. rewrite front_is. assert (Ap := A_positive). assert (Pb := positive best best_arm).
  assert (Pl := positive l l_arm). assert (Sh := share). assert (Hs := s_range). destruct gap_below as [Gl Rl].
  assert (Ml := shown_means l l_arm). assert (Mb := shown_means best best_arm). assert (Hc := cost_nonneg).
  assert (Nl := nonneg_means l l_arm). assert (B := back).
  destruct theta_range as (T1 & T2 & T3). destruct leader_at_least as [_ Kl]. assert (Sb := s_bar_range).
  assert (K2 := K_at_least_2).
  assert (TT : 0 < theta * theta) by (apply Rmult_lt_0_compat; lra).
  set (w := p best * p best / (theta * theta)).
  assert (W : 1 <= w <= 1 / 4 / (theta * theta)).
  { assert (Half : p best <= 1 / 2).
    { assert (S1 := the_others arms best best_arm p p_valid). assert (Pp : p l <= sum arms (but best p)).
      { apply but_at_least; auto. intros k Hk _. left. apply positive, Hk. }
      assert (Lb := leader_leads arms some_arms p best best_arm). fold l in Lb. lra. }
    unfold w. split.
    - apply Rmult_le_reg_r with (theta * theta); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; [|lra].
      clear - High T1. nra.
    - unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; assumption|]. clear - Half Pb. nra. }
  assert (D1 : p best * mu best * (phi theta (p best * (1 + alpha)) - phi theta (p best)) = - (alpha * w * mu best)).
  { rewrite !phi_high; [unfold tangent, w; field; lra|assumption|]. clear - High Pb step. nra. }
  (* the leader pays: at most alpha w mu(l) u, where u is 1, or 1 / (1 - alpha s) with s at most s_bar *)
  assert (D2 : exists u, 1 <= u <= 1 + room /\ u <= 1 / (1 - alpha) /\
    p l * mu l * (phi theta (p best * (1 - alpha * s)) - phi theta (p best)) <= alpha * w * (mu l * u)).
  { assert (Rp := room_positive). assert (Big : 1 <= 1 / (1 - alpha)).
    { unfold Rdiv. rewrite Rmult_1_l, <- Rinv_1. apply inv_le; lra. }
    assert (As : 0 <= alpha * s < 1) by (split; [apply Rmult_le_pos; lra|lra]).
    destruct (phi_falls theta T1 (p best) (alpha * s) High As) as [[Stay E]|[Cross E]].
    - exists 1. repeat split; try lra. rewrite E. right. unfold w. rewrite B. field. lra.
    - exists (/ (1 - alpha * s)).
      assert (Ss : s <= s_bar).
      { (* p (1 - alpha) <= p (1 - alpha s) < theta = (1 - alpha) s_bar / K *)
        assert (X : K * (p best * (1 - alpha)) <= (1 - alpha) * s_bar).
        { rewrite <- T2. apply Rmult_le_compat_l; [lra|].
          assert (p best * (1 - alpha) <= p best * (1 - alpha * s)) by (apply Rmult_le_compat_l; lra). lra. }
        assert (Y : K * p best <= s_bar).
        { apply Rmult_le_reg_r with (1 - alpha); [lra|]. lra. }
        assert (s * 1 <= s * (K * p l)) by (apply Rmult_le_compat_l; lra). rewrite B in Y. lra. }
      destruct (noise s ltac:(lra)) as [_ N2].
      assert (1 <= / (1 - alpha * s)) by (rewrite <- Rinv_1 at 1; apply inv_le; lra).
      assert (/ (1 - alpha * s) <= 1 / (1 - alpha)) by (unfold Rdiv; rewrite Rmult_1_l; apply inv_le; lra).
      repeat split; try lra.
      apply Rle_trans with (p l * mu l * (alpha * s * p best / (theta * theta) / (1 - alpha * s))).
      + apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact E].
      + right. unfold w. rewrite B. field. repeat split; lra. }
  destruct D2 as (u & U1 & U2 & D2). rewrite D1.
  assert (AW : 0 < alpha * w) by (apply Rmult_lt_0_compat; lra).
  assert (Clean : means l * u - means best <= - (gap_l * (1 - (1 - rho) / (2 * (1 + alpha))))).
  { assert (Rm := room_is). assert (Rh := rho_range). assert (Rp := room_positive).
    assert (means l * u <= means l * (1 + room)) by (apply Rmult_le_compat_l; lra).
    assert (means l * room <= r2 * room) by (apply Rmult_le_compat_r; lra).
    assert (Er : r2 * room = gap * ((1 - rho) / (2 * (1 + alpha)))) by (unfold room; field; lra).
    assert (Q : 0 < (1 - rho) / (2 * (1 + alpha))) by (apply Rdiv_lt_0_compat; lra).
    assert (gap * ((1 - rho) / (2 * (1 + alpha))) <= gap_l * ((1 - rho) / (2 * (1 + alpha))))
      by (apply Rmult_le_compat_r; lra).
    unfold gap_l in *. lra. }
  assert (Up : mu l * u <= (means l + c) * u) by (apply Rmult_le_compat_r; lra).
  assert (Cu : c * u <= c * (1 / (1 - alpha))) by (apply Rmult_le_compat_l; lra).
  assert (Pay : G <= alpha * A * (1 - (1 - rho) / (2 * (1 + alpha)))).
  { assert (Rh := rho_range). assert (H := alpha_A). assert (G1 := G_at_least_1).
    replace (alpha * A * (1 - (1 - rho) / (2 * (1 + alpha))))
      with (alpha * A - alpha * A * (1 - rho) / (2 * (1 + alpha))) by (field; lra).
    rewrite H. replace (2 * (1 + alpha) * G / (2 * (1 + alpha))) with G by (field; lra).
    assert (alpha * A * (1 - rho) <= alpha * A * 1).
    { apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]. }
    assert (2 * G <= 2 * (1 + alpha) * G) by (clear - G1 step; nra). lra. }
  assert (Main : alpha * w * (mu l * u) - alpha * w * mu best <=
    alpha * w * (- (gap_l * (1 - (1 - rho) / (2 * (1 + alpha)))) + (1 / (1 - alpha) + 1) * c)).
  { rewrite <- Rmult_minus_distr_l. apply Rmult_le_compat_l; [lra|]. lra. }
  set (k := 1 - (1 - rho) / (2 * (1 + alpha))) in *.
  assert (G1 := G_at_least_1). assert (AA : 0 < alpha * A) by (apply Rmult_lt_0_compat; lra).
  assert (Kp : 0 < k) by (clear - Pay G1 AA; nra).
  apply Rle_trans with (A * (alpha * w * (- (gap_l * k) + (1 / (1 - alpha) + 1) * c))).
  - apply Rmult_le_compat_l; lra.
  - replace (A * (alpha * w * (- (gap_l * k) + (1 / (1 - alpha) + 1) * c)))
      with (- (alpha * A * k * gap_l * w) + alpha * A * w * ((1 / (1 - alpha) + 1) * c)) by ring.
    assert (Ia : 0 < 1 / (1 - alpha)) by (apply Rdiv_lt_0_compat; lra).
    assert (P1 : G * gap_l <= alpha * A * k * gap_l) by (apply Rmult_le_compat_r; lra).
    assert (P2 : alpha * A * k * gap_l * 1 <= alpha * A * k * gap_l * w).
    { apply Rmult_le_compat_l; [|lra]. apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra]. }
    assert (P3 : alpha * A * w * ((1 / (1 - alpha) + 1) * c) <=
      alpha * A * (1 / 4 / (theta * theta)) * ((1 / (1 - alpha) + 1) * c)).
    { apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_l; lra. }
    replace (alpha * A / (4 * (theta * theta)) * (1 / (1 - alpha) + 1) * c)
      with (alpha * A * (1 / 4 / (theta * theta)) * ((1 / (1 - alpha) + 1) * c)) by (field; lra).
    lra.
Qed.

Lemma one_round_wrong_leads :
  regret arms best means p m + sum arms (fun i => p i * mu i * gain arms best alpha f p i) <= b * c.
Proof.
  rewrite drift_is, (logs_wrong_leads arms best alpha best_arm step p p_valid mu wrong).
  assert (Logs := paid_wrong_leads arms best means r2 gap_max two best_arm others gap_positive p p_valid m m_lawful
    wrong).
  change (fun i => mean_reward (shown m i)) with mu in Logs. fold l s gap_l G c in Logs |- *.
  assert (Hc := cost_nonneg). destruct b_enough as (B1 & _ & B3).
  apply (Rmult_le_compat_r c) in B1; [|assumption]. apply (Rmult_le_compat_r c) in B3; [|assumption].
  destruct (Rlt_dec (p best) theta) as [H|H].
  - assert (F := falls_below_theta H). lra.
  - assert (F := falls_above_theta ltac:(lra)). lra.
Qed.
End Wrong.
End State.

(** ** From the update rule to the play *)
Let front y := A * phi theta y.
Let V := potential arms best front (/ alpha).

Theorem one_round : forall p m, valid arms p -> lawful arms means is_law m ->
  regret arms best means p m - b * cost m + after arms (learn arms alpha) V p m <= V p.
Proof.
  intros p m Hp Hm. assert (Ap := A_positive). destruct theta_range as [T1 _].
  assert (D := drift arms best alpha front means best_arm step (phi_convex theta T1 A ltac:(lra)) p Hp m Hm).
  fold V in D. destruct (Nat.eq_dec (leader arms p) best) as [E|N].
  - assert (O := one_round_best_leads p Hp m Hm E). fold front in O. lra.
  - assert (O := one_round_wrong_leads p Hp m Hm N). fold front in O. lra.
Qed.

Definition E_regret (adv : adversary) (T : nat) : R := E_sum arms (learn arms alpha) (regret arms best means) adv T.
Definition E_cost (adv : adversary) (T : nat) : R := E_sum arms (learn arms alpha) (fun _ m => cost m) adv T.

Theorem theorem_4 : forall adv T, always_lawful arms means is_law adv ->
  E_regret adv T <= b * E_cost adv T + A * (1 - 1 / K) / (theta * theta) +
    (K - 1) / alpha * ln ((1 + alpha * INR T / K) / (1 - alpha)).
Proof.
  intros adv T L. assert (Ap := A_positive). assert (K2 := K_at_least_2). destruct theta_range as (T1 & T2 & T3).
  assert (Sb := s_bar_range). assert (weight : 0 <= / alpha) by (left; apply Rinv_0_lt_compat; lra).
  assert (Least : forall y, 0 < y <= 1 -> A * tangent theta 1 <= front y).
  { intros y Hy. apply Rmult_le_compat_l; [lra|]. apply Rle_trans with (tangent theta y); [|apply tangent_below; lra].
    unfold tangent, Rdiv. apply Rplus_le_compat_l, Ropp_le_contravar, Rmult_le_compat_r; [|lra].
    left. apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra. }
  assert (F := from_one_round_any arms best alpha (/ alpha) (A * tangent theta 1) front means best_arm step Least weight
    is_law (fun d H => H) (fun p m => regret arms best means p m + - b * cost m) adv T L).
  specialize (F ltac:(intros p m Hp Hm; generalize (one_round p m Hp Hm); unfold V; lra)).
  assert (Lin : E_sum arms (learn arms alpha) (fun p m => regret arms best means p m + - b * cost m) adv T =
                E_regret adv T + - b * E_cost adv T).
  { unfold E_regret, E_cost, E_sum. rewrite <- expected_linear. apply expected_same; intros; unfold nought; ring. }
  fold K in F. rewrite Lin in F.
  assert (Start : front (/ K) - A * tangent theta 1 = A * (1 - 1 / K) / (theta * theta)).
  { unfold front. rewrite phi_high; [unfold tangent; field; lra|].
    apply Rmult_le_reg_l with K; [lra|]. rewrite Rinv_r, T2; [|lra]. clear - Sb step. nra. }
  rewrite Start in F. lra.
Qed.

(** the same for an adversary that never pays more than C *)
Corollary theorem_4_budget : forall adv T C, always_lawful arms means is_law adv -> affordable adv C T [] ->
  E_regret adv T <= b * C + A * (1 - 1 / K) / (theta * theta) +
    (K - 1) / alpha * ln ((1 + alpha * INR T / K) / (1 - alpha)).
Proof.
  intros adv T C L B. assert (H := theorem_4 adv T L). assert (Ap := A_positive). destruct theta_range as (T1 & _ & _).
  assert (Paid : E_cost adv T <= C).
  { apply (budget arms (learn arms alpha) means is_law (fun d H => H)
      (fun p a x Hp Ha Hx => learn_valid arms alpha some_arms step p Hp a x Ha Hx)); auto.
    apply uniform_valid, some_arms. }
  assert (Pos : 0 <= b).
  { unfold b. assert (0 < alpha * A / (2 * (theta * theta) * (1 - alpha))); [|lra].
    apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|].
    apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [lra|apply Rmult_lt_0_compat; assumption]|lra]. }
  apply (Rmult_le_compat_l b) in Paid; lra.
Qed.
End EveryStep.
