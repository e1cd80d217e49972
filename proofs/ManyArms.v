(** Theorem 3: any number of arms K >= 3. For every adaptive adversary and every number of rounds T
    E[regret] <= b_1 E[C_1] + b_K E[C_2] + (K - 1) A + ((K - 1) / alpha) ln ((1 + alpha T / K) / (1 - alpha)),
    where C_2 is what is paid in rounds in which the best arm leads
      with less than one half, C_1 what is paid in all others. *)
From Coq Require Import Reals Lra Lia Psatz Arith List Bool.
Require Import Samba Sums Play Step Drift Tail Bound Gaps.
Import ListNotations.
Open Scope R_scope.

Section ManyArms.
Variables arms best : nat.
Variable means : nat -> R.
Variables alpha r2 gap_max : R.  (* r2: no other arm has a larger mean; gap_max: no gap is larger *)
Let gap := means best - r2.
Let K := INR arms.
Hypothesis three : (3 <= arms)%nat.
Hypothesis best_arm : (best < arms)%nat.
Hypothesis others : forall i, (i < arms)%nat -> i <> best -> 0 <= means i <= r2 /\ means best - means i <= gap_max.
Hypothesis gap_positive : 0 < gap.
Hypothesis step : 0 < alpha < 1.
Hypothesis small_step : alpha * (K * r2 + gap) <= gap.

Let spread := spread best means r2 gap_max.  (* G = gap_max / gap *)
Definition rho' : R := 2 * alpha * r2 / (gap * (1 - alpha)).
Definition a : R := spread / (1 - rho').
Definition A : R := a * (1 + alpha) / alpha.
Definition b (S : R) : R := a * (1 + alpha) * (2 - alpha) / (1 - alpha) * S + 2.
Definition b_1 : R := b 1.
Definition b_K : R := b (K - 1).

(** ** Constants *)
Lemma some_arms : (0 < arms)%nat. Proof. lia. Qed.

Lemma K_at_least_3 : 3 <= K.
Proof. unfold K. replace 3 with (INR 3) by (simpl; ring). apply le_INR. assumption. Qed.

Let two : (2 <= arms)%nat. Proof. lia. Qed.
Let r2_nonneg : 0 <= r2 := r2_nonneg arms best means r2 gap_max two best_arm others.

Lemma room : alpha * (K * r2) <= gap * (1 - alpha).
Proof. lra. Qed.

Lemma rho'_range : 0 <= rho' < 1.
Proof.
  assert (R2 := r2_nonneg). assert (K3 := K_at_least_3). assert (R := room).
  assert (G1 : 0 < gap * (1 - alpha)) by (apply Rmult_lt_0_compat; lra).
  assert (AR : 0 <= alpha * r2) by (apply Rmult_le_pos; lra).
  assert (3 * (alpha * r2) <= gap * (1 - alpha)) by nra.
  unfold rho'. split.
  - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. assumption.
  - apply Rmult_lt_reg_r with (gap * (1 - alpha)); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Let spread_at_least_1 : 1 <= spread := spread_at_least_1 arms best means r2 gap_max two best_arm others gap_positive.

Lemma a_positive : 0 < a.
Proof. assert (R := rho'_range). assert (S := spread_at_least_1). apply Rdiv_lt_0_compat; lra. Qed.

Lemma a_pays : a * (1 - rho') = spread.
Proof. assert (R := rho'_range). unfold a. field. lra. Qed.

Lemma A_positive : 0 < A.
Proof. assert (H := a_positive). apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|lra]. Qed.

Lemma alpha_A : alpha * A = a * (1 + alpha).
Proof. unfold A. field. lra. Qed.

(** b pays for the corruption of 1/p(best), at S times the contest; the 2 pays for that of the logarithms *)
Lemma b_is : forall S, b S = a * (1 + alpha) * (S * (1 / (1 - alpha) + 1)) + 2.
Proof. intros. unfold b. field. lra. Qed.

Lemma b_grows : forall S S', S <= S' -> b S <= b S'.
Proof.
  intros S S' H. rewrite !b_is. assert (Ha := a_positive).
  assert (0 < 1 / (1 - alpha)) by (apply Rdiv_lt_0_compat; lra).
  apply Rplus_le_compat_r, Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_r; lra.
Qed.

Section State.
Variable p : nat -> R.
Hypothesis p_valid : valid arms p.
Variable m : move.
Hypothesis m_lawful : lawful arms means is_law m.
Let mu i := mean_reward (shown m i).
Let c := cost m.
Let l := leader arms p.

Let shown_means : forall i, (i < arms)%nat -> means i - c <= mu i <= means i + c := shown_means arms means m m_lawful.
Let cost_nonneg : 0 <= c := cost_nonneg arms best means best_arm m m_lawful.
Let positive : forall i, (i < arms)%nat -> 0 < p i := positive arms p p_valid.
Let the_others : sum arms (but best p) = 1 - p best := the_others arms best best_arm p p_valid.

(** ** The best arm leads *)
Lemma clean_best_leads : l = best -> forall i, (i < arms)%nat -> i <> best ->
  means i / (1 - alpha * (p i / p best)) - means best / (1 + alpha * contest arms p best) <= 0.
Proof.
  intros E i Hi N. destruct (others i Hi N) as [H1 _].
  assert (R := ratio_range arms some_arms p p_valid i Hi). fold l in R. rewrite E in R.
  assert (C := contest_range arms some_arms p p_valid). fold l K in C. rewrite E in C.
  set (s := p i / p best) in *. set (S := contest arms p best) in *.
  assert (P1 : 0 < 1 - alpha * s) by nra. assert (P2 : 0 < 1 + alpha * S) by nra.
  assert (R2 := r2_nonneg). assert (Rm := room).
  assert (Need : alpha * (S * means i + s * means best) <= means best - means i).
  { assert (S * means i <= (K - 1) * means i) by (apply Rmult_le_compat_r; lra).
    assert (means best * s <= means best) by (apply part_le; unfold gap in *; lra).
    assert (alpha * (S * means i + s * means best) <= alpha * ((K - 1) * means i + means best))
      by (apply Rmult_le_compat_l; lra).
    assert (alpha * (K * means i) <= alpha * (K * r2)).
    { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [generalize K_at_least_3; lra|lra]. }
    assert (gap * (1 - alpha) <= (means best - means i) * (1 - alpha)) by (apply Rmult_le_compat_r; unfold gap; lra).
    lra. }
  replace (means i / (1 - alpha * s) - means best / (1 + alpha * S))
    with (- ((means best - means i - alpha * (S * means i + s * means best)) / ((1 - alpha * s) * (1 + alpha * S))))
    by (field; lra).
  assert (0 <= (means best - means i - alpha * (S * means i + s * means best)) / ((1 - alpha * s) * (1 +
    alpha * S))); [|lra].
  apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra.
Qed.

Lemma one_round_best_leads : l = best ->
  regret arms best means p m + sum arms (fun i => p i * mu i * gain arms best alpha
    (fun y => A / y) p i) <= b (contest arms p best) * c.
Proof.
  intros E. rewrite drift_is, (reciprocal_front_best_leads arms best alpha A best_arm step p p_valid mu E),
    (logs_best_leads arms best alpha best_arm step p p_valid mu E), alpha_A.
  assert (Hc := cost_nonneg). assert (Ha := a_positive). set (S := contest arms p best).
  assert (C := contest_range arms some_arms p p_valid). fold l in C. rewrite E in C. fold S in C.
  assert (Logs := paid_best_leads arms best means best_arm p p_valid m m_lawful).
  change (fun i => mean_reward (shown m i)) with mu in Logs. fold c in Logs.
  assert (2 * c * (1 - p best) <= 2 * c) by (assert (P := positive best best_arm); apply part_le; lra).
  assert (Main : sum arms (but best (fun i => p i / p best * (p i / p best) *
        (mu i / (1 - alpha * (p i / p best)) - mu best / (1 + alpha * S)))) <= S * (1 / (1 - alpha) + 1) * c).
  { apply Rle_trans with (sum arms (but best (fun i => (1 / (1 - alpha) + 1) * c * (p i / p best * (p i / p best))))).
    2:{ rewrite but_scale. fold (contest arms p best). fold S. lra. }
    apply but_le. intros i Hi N. rewrite (Rmult_comm ((1 / (1 - alpha) + 1) * c)).
    assert (Clean := clean_best_leads E i Hi N). fold S in Clean.
    assert (R := ratio_range arms some_arms p p_valid i Hi). fold l in R. rewrite E in R. set (s := p i / p best) in *.
    apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|].
    assert (M := shown_means i Hi). assert (M' := shown_means best best_arm).
    assert (Part := part_le alpha s). assert (P1 : 0 < 1 - alpha * s) by lra.
    assert (P2 : 0 <= alpha * S) by (apply Rmult_le_pos; lra).
    unfold Rdiv in *. set (u := / (1 - alpha * s)) in *. set (v := / (1 + alpha * S)) in *.
    assert (U : 0 < u <= / (1 - alpha)).
    { split; [apply Rinv_0_lt_compat; assumption|]. apply inv_le; lra. }
    assert (W : 0 < v <= 1).
    { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply inv_le; lra. }
    assert (mu i * u <= (means i + c) * u) by (apply Rmult_le_compat_r; lra).
    assert ((means best - c) * v <= mu best * v) by (apply Rmult_le_compat_r; lra).
    assert (c * u <= c * / (1 - alpha)) by (apply Rmult_le_compat_l; lra).
    assert (c * v <= c * 1) by (apply Rmult_le_compat_l; lra). lra. }
  apply (Rmult_le_compat_l (a * (1 + alpha))) in Main; [|apply Rmult_le_pos; lra].
  rewrite b_is. lra.
Qed.

(** with at least one half the best arm is not contested *)
Lemma contest_small : l = best -> 1 / 2 <= p best -> contest arms p best <= 1.
Proof.
  intros E H. assert (P := positive best best_arm). unfold contest.
  apply Rle_trans with (sum arms (but best (fun i => / p best * p i))).
  - apply but_le. intros i Hi N. assert (R := ratio_range arms some_arms p p_valid i Hi). fold l in R. rewrite E in R.
    assert (p i / p best * (p i / p best) <= 1 * (p i / p best)) by (apply Rmult_le_compat_r; lra).
    unfold Rdiv in *. lra.
  - rewrite but_scale, the_others. apply Rmult_le_reg_l with (p best); [assumption|].
    rewrite <- Rmult_assoc, Rinv_r; lra.
Qed.

(** ** Another arm leads *)
Section Wrong.
Hypothesis wrong : l <> best.

Let l_arm : (l < arms)%nat := leader_is_arm arms some_arms p.
Let s := p best / p l.
Let gap_l := means best - means l.
Let s_range : 0 < s <= 1 := ratio_range arms some_arms p p_valid best best_arm.

(** 1/p(best), no corruption: it falls by enough to pay for that *)
Lemma clean_wrong_leads : (1 + alpha) * means l / (1 - alpha * s) - means best <= - (gap_l * (1 - rho')).
Proof.
  assert (Hs := s_range). destruct (others l l_arm wrong) as [Hl _].
  assert (Gl : gap <= gap_l) by (unfold gap, gap_l; lra). assert (R := rho'_range).
  assert (P : 0 < 1 - alpha <= 1 - alpha * s) by (assert (Part := part_le alpha s); lra).
  assert (U : (1 + alpha) * means l / (1 - alpha * s) <= (1 + alpha) * means l / (1 - alpha)).
  { unfold Rdiv. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. apply inv_le; lra. }
  assert (W : (1 + alpha) * means l / (1 - alpha) - means l = 2 * alpha * means l / (1 - alpha)) by (field; lra).
  assert (X : 2 * alpha * means l / (1 - alpha) <= rho' * gap).
  { replace (rho' * gap) with (2 * alpha * r2 / (1 - alpha)) by (unfold rho'; field; lra).
    unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|]. apply Rmult_le_compat_l; lra. }
  assert (rho' * gap <= rho' * gap_l) by (apply Rmult_le_compat_l; lra).
  unfold gap_l in *. lra.
Qed.

Lemma one_round_wrong_leads :
  regret arms best means p m + sum arms (fun i => p i * mu i * gain arms best alpha (fun y => A / y) p i) <= b_1 * c.
Proof.
  rewrite drift_is, (reciprocal_front_wrong_leads arms best alpha A best_arm step p p_valid mu wrong),
    (logs_wrong_leads arms best alpha best_arm step p p_valid mu wrong), alpha_A. fold l. fold s.
  assert (Hs := s_range). assert (Ha := a_positive). assert (Hc := cost_nonneg).
  assert (Clean := clean_wrong_leads).
  assert (Logs := paid_wrong_leads arms best means r2 gap_max two best_arm others gap_positive p p_valid m m_lawful
    wrong).
  change (fun i => mean_reward (shown m i)) with mu in Logs. fold l s gap_l spread c in Logs.
  assert (Ml := shown_means l l_arm). assert (Mb := shown_means best best_arm).
  assert (P : 0 < 1 - alpha <= 1 - alpha * s) by (assert (Part := part_le alpha s); lra).
  unfold Rdiv in Clean. set (u := / (1 - alpha * s)) in *.
  assert (U : 0 < u <= / (1 - alpha)) by (split; [apply Rinv_0_lt_compat; lra|apply inv_le; lra]).
  replace (a * (1 + alpha) * (mu l / (1 - alpha * s) - mu best / (1 + alpha)))
    with (a * ((1 + alpha) * mu l * u - mu best)) by (unfold u; field; lra).
  assert (Main : (1 + alpha) * mu l * u - mu best <=
    - (gap_l * (1 - rho')) + ((1 + alpha) * (1 / (1 - alpha) + 1)) * c).
  { assert ((1 + alpha) * u * mu l <= (1 + alpha) * u * (means l + c))
      by (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]).
    assert ((1 + alpha) * c * u <= (1 + alpha) * c * / (1 - alpha))
      by (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]).
    assert (0 <= alpha * c) by (apply Rmult_le_pos; lra).
    unfold Rdiv. lra. }
  apply (Rmult_le_compat_l a) in Main; [|lra].
  replace (a * (- (gap_l * (1 - rho')) + ((1 + alpha) * (1 / (1 - alpha) + 1)) * c))
    with (- (a * (1 - rho') * gap_l) + a * (1 + alpha) * (1 * (1 / (1 - alpha) + 1)) * c) in Main by ring.
  rewrite a_pays in Main. unfold b_1. rewrite b_is. lra.
Qed.
End Wrong.
End State.

(** ** From the update rule to the play *)
Definition contested (p : nat -> R) : bool := (leader arms p =? best) && less (p best) (1 / 2).
Definition cost_calm (p : nat -> R) (m : move) : R := if contested p then 0 else cost m.
Definition cost_contested (p : nat -> R) (m : move) : R := if contested p then cost m else 0.

Let V := potential arms best (fun y => A / y) (/ alpha).

Theorem one_round : forall p m, valid arms p -> lawful arms means is_law m ->
  regret arms best means p m - b_1 * cost_calm p m - b_K * cost_contested p m +
    after arms (learn arms alpha) V p m <= V p.
Proof.
  intros p m Hp Hm. assert (Ap := A_positive).
  assert (D := drift arms best alpha _ means best_arm step (reciprocal_below_chords A ltac:(lra)) p Hp m Hm).
  fold V in D.
  assert (Hc := cost_nonneg arms best means best_arm m Hm). unfold cost_calm, cost_contested, contested.
  destruct (Nat.eqb_spec (leader arms p) best) as [E|N].
  - assert (O := one_round_best_leads p Hp m Hm E).
    destruct (less (p best) (1 / 2)) eqn:H; simpl.
    + assert (C := contest_range arms some_arms p Hp). rewrite E in C. fold K in C.
      assert (B := b_grows (contest arms p best) (K - 1) ltac:(lra)). fold b_K in B.
      apply (Rmult_le_compat_r (cost m)) in B; lra.
    + apply less_false in H. assert (B := b_grows _ _ (contest_small p Hp E H)). fold b_1 in B.
      apply (Rmult_le_compat_r (cost m)) in B; lra.
  - assert (O := one_round_wrong_leads p Hp m Hm N). simpl. lra.
Qed.

Definition E_regret (adv : adversary) (T : nat) : R := E_sum arms (learn arms alpha) (regret arms best means) adv T.
Definition E_cost_calm (adv : adversary) (T : nat) : R := E_sum arms (learn arms alpha) cost_calm adv T.
Definition E_cost_contested (adv : adversary) (T : nat) : R := E_sum arms (learn arms alpha) cost_contested adv T.

Theorem theorem_3 : forall adv T, always_lawful arms means is_law adv ->
  E_regret adv T <= b_1 * E_cost_calm adv T + b_K * E_cost_contested adv T +
    (K - 1) * A + (K - 1) / alpha * ln ((1 + alpha * INR T / K) / (1 - alpha)).
Proof.
  intros adv T L. assert (Ap := A_positive). assert (K3 := K_at_least_3).
  assert (weight : 0 <= / alpha) by (left; apply Rinv_0_lt_compat; lra).
  assert (F := from_one_round_any arms best alpha (/ alpha) A (fun y => A / y) means best_arm step
    (fun y => reciprocal_least A y ltac:(lra)) weight is_law (fun d H => H)
    (fun p m => (regret arms best means p m + - b_1 * cost_calm p m) + - b_K * cost_contested p m) adv T L).
  specialize (F ltac:(intros p m Hp Hm; generalize (one_round p m Hp Hm); unfold V; lra)).
  assert (Lin : E_sum arms (learn arms alpha)
      (fun p m => (regret arms best means p m + - b_1 * cost_calm p m) + - b_K * cost_contested p m) adv T =
    (E_regret adv T + - b_1 * E_cost_calm adv T) + - b_K * E_cost_contested adv T).
  { unfold E_regret, E_cost_calm, E_cost_contested, E_sum. rewrite <- !expected_linear.
    apply expected_same; intros; unfold nought; ring. }
  fold K in F. rewrite Lin in F. replace (A / / K - A) with ((K - 1) * A) in F by (field; lra). lra.
Qed.

(** the same for an adversary that never pays more than C *)
Corollary theorem_3_budget : forall adv T C, always_lawful arms means is_law adv -> affordable adv C T [] ->
  E_regret adv T <= b_K * C + (K - 1) * A + (K - 1) / alpha * ln ((1 + alpha * INR T / K) / (1 - alpha)).
Proof.
  intros adv T C L B. assert (H := theorem_3 adv T L). assert (K3 := K_at_least_3). assert (Ha := a_positive).
  assert (keeps : forall p i x, valid arms p -> (i < arms)%nat -> 0 <= x <= 1 -> valid arms (learn arms alpha p i x))
    by (intros p i x Hp Hi Hx; apply learn_valid; auto; exact some_arms).
  assert (U := uniform_valid arms some_arms).
  assert (Paid := budget arms (learn arms alpha) means is_law (fun d H => H) keeps adv L T [] (uniform arms) C U B).
  assert (Split : expected arms (learn arms alpha) (fun _ m => cost m) nought adv T [] (uniform arms) =
    E_cost_calm adv T + 1 * E_cost_contested adv T).
  { unfold E_cost_calm, E_cost_contested, E_sum. rewrite <- expected_linear. apply expected_same.
    - intros p m. unfold cost_calm, cost_contested. destruct (contested p); ring.
    - intros. unfold nought. ring. }
  rewrite Split in Paid.
  assert (Calm : 0 <= E_cost_calm adv T).
  { unfold E_cost_calm, E_sum.
    rewrite <- (expected_const arms (learn arms alpha) means is_law (fun d H => H) keeps 0 adv L T [] (uniform arms) U).
    apply (expected_le arms (learn arms alpha) means is_law (fun d H => H) keeps); auto.
    - intros p m _ Hm. assert (Hc := cost_nonneg arms best means best_arm m Hm). unfold nothing, cost_calm.
      destruct (contested p); lra.
    - intros. unfold nought. lra. }
  assert (b_1 <= b_K) by (apply b_grows; lra).
  assert (0 <= b_K).
  { unfold b_K. rewrite b_is. assert (0 < 1 / (1 - alpha)) by (apply Rdiv_lt_0_compat; lra).
    assert (0 <= a * (1 + alpha)) by (apply Rmult_le_pos; lra).
    assert (0 <= (K - 1) * (1 / (1 - alpha) + 1)) by (apply Rmult_le_pos; lra).
    assert (0 <= a * (1 + alpha) * ((K - 1) * (1 / (1 - alpha) + 1))) by (apply Rmult_le_pos; assumption). lra. }
  assert (b_1 * E_cost_calm adv T <= b_K * E_cost_calm adv T) by (apply Rmult_le_compat_r; assumption).
  apply (Rmult_le_compat_l b_K) in Paid; lra.
Qed.
End ManyArms.
