(** Games with any number of arms, and what regret and logarithms come to in one round, whatever the step. *)
From Coq Require Import Reals Lra Lia Psatz Arith.
Require Import Samba Sums Play Step Drift Tail Bound.
Open Scope R_scope.

Section Gaps.
Variables arms best : nat.
Variable means : nat -> R.
Variables r2 gap_max : R.  (* r2: no other arm has a larger mean; gap_max: no gap is larger *)
Let gap := means best - r2.
Hypothesis two : (2 <= arms)%nat.
Hypothesis best_arm : (best < arms)%nat.
Hypothesis others : forall i, (i < arms)%nat -> i <> best -> 0 <= means i <= r2 /\ means best - means i <= gap_max.
Hypothesis gap_positive : 0 < gap.

Definition spread : R := gap_max / gap.  (* G = gap_max / gap *)

Let some_arms : (0 < arms)%nat. Proof. lia. Qed.

Lemma arms_at_least_2 : 2 <= INR arms.
Proof. replace 2 with (INR 2) by (simpl; ring). apply le_INR. assumption. Qed.

Lemma another_arm : exists i, (i < arms)%nat /\ i <> best.
Proof. destruct (Nat.eq_dec best 0); [exists 1%nat|exists 0%nat]; lia. Qed.

Lemma r2_nonneg : 0 <= r2.
Proof. destruct another_arm as (i & Hi & N). destruct (others i Hi N). lra. Qed.

Lemma spread_at_least_1 : 1 <= spread.
Proof.
  destruct another_arm as (i & Hi & N). destruct (others i Hi N) as [H1 H2].
  unfold spread. fold gap. apply Rmult_le_reg_r with gap; [assumption|]. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l; unfold gap in *; lra.
Qed.

Section State.
Variable p : nat -> R.
Hypothesis p_valid : valid arms p.
Variable m : move.
Hypothesis m_lawful : lawful arms means is_law m.
Let mu i := mean_reward (shown m i).
Let c := cost m.
Let l := leader arms p.

Lemma shown_means : forall i, (i < arms)%nat -> means i - c <= mu i <= means i + c.
Proof. intros i Hi. apply m_lawful, Hi. Qed.

Lemma nonneg_means : forall i, (i < arms)%nat -> 0 <= mu i.
Proof. intros i Hi. apply mean_reward_range, m_lawful, Hi. Qed.

Lemma cost_nonneg : 0 <= c.
Proof. assert (H := shown_means best best_arm). lra. Qed.

Lemma positive : forall i, (i < arms)%nat -> 0 < p i.
Proof. apply p_valid. Qed.

Lemma the_others : sum arms (but best p) = 1 - p best.
Proof. assert (S := proj2 p_valid). rewrite (sum_out arms p best best_arm) in S. lra. Qed.

Lemma regret_is : regret arms best means p m = sum arms (but best (fun i => (means best - means i) * p i)).
Proof. unfold regret. rewrite (sum_out arms _ best best_arm). ring. Qed.

(** the best arm leads: the logarithms pay for the regret, and a unit of corruption buys two (1 - p(best)) *)
Lemma paid_best_leads :
  regret arms best means p m + sum arms (but best (fun i => p i * (mu i - mu best))) <= 2 * c * (1 - p best).
Proof.
  rewrite regret_is, <- but_plus, <- the_others, <- but_scale. apply but_le. intros i Hi _.
  assert (M := shown_means i Hi). assert (M' := shown_means best best_arm). assert (P := positive i Hi).
  replace ((means best - means i) * p i + p i * (mu i - mu best))
    with ((means best - means i + mu i - mu best) * p i) by ring.
  apply Rmult_le_compat_r; lra.
Qed.

(** another arm leads *)
Section Wrong.
Hypothesis wrong : l <> best.

Lemma l_arm : (l < arms)%nat.
Proof. apply leader_is_arm, some_arms. Qed.

Let s := p best / p l.
Let gap_l := means best - means l.

Lemma s_range : 0 < s <= 1.
Proof. apply (ratio_range arms some_arms p p_valid best best_arm). Qed.

(** regret and logarithms together, no corruption: at most spread * gap_l *)
Lemma clean_logs :
  sum arms (but best (fun i => (means best - means i) * p i)) + p best * s * (means l - means best) +
  sum arms (but l (but best (fun i => (p i - p i * p i / p l) * (means i - means l)))) <= spread * gap_l.
Proof.
  assert (Pl := positive l l_arm). assert (Pb := positive best best_arm). assert (Hs := s_range).
  destruct (others l l_arm wrong) as [Hl _]. assert (S1 := spread_at_least_1).
  assert (Gl : gap <= gap_l) by (unfold gap, gap_l; lra).
  rewrite (but_out arms best _ l l_arm wrong).
  assert (Each : sum arms (but l (but best (fun i => (means best - means i) * p i))) +
    sum arms (but l (but best (fun i => (p i - p i * p i / p l) * (means i - means l)))) <=
    sum arms (but l (but best (fun i => spread * gap_l * p i)))).
  { rewrite <- but_plus. apply but_le. intros i Hi Ni. unfold but. destruct (Nat.eqb_spec i best) as [E|N]; [lra|].
    destruct (others i Hi N) as [H1 H2]. assert (Pi := positive i Hi).
    assert (Ri := ratio_range arms some_arms p p_valid i Hi). fold l in Ri.
    replace ((means best - means i) * p i + (p i - p i * p i / p l) * (means i - means l))
      with (p i * (gap_l + p i / p l * ((means best - means i) - gap_l))) by (unfold gap_l; field; lra).
    rewrite (Rmult_comm (spread * gap_l)). apply Rmult_le_compat_l; [lra|].
    assert (Big : means best - means i <= spread * gap_l).
    { apply Rle_trans with gap_max; [assumption|]. apply Rle_trans with (spread * gap).
      - right. unfold spread. fold gap. field. lra.
      - apply Rmult_le_compat_l; lra. }
    assert (gap_l <= spread * gap_l) by nra. nra. }
  assert (Rest : sum arms (but l (but best (fun i => spread * gap_l * p i))) = spread * gap_l * (1 - p best - p l)).
  { rewrite (sum_ext arms _ (fun i => spread * gap_l * but l (but best p) i)).
    - rewrite sum_scale. f_equal. rewrite <- the_others, (but_out arms best p l l_arm wrong). ring.
    - intros i _. unfold but. destruct (i =? l), (i =? best); ring. }
  rewrite Rest in Each. fold gap_l.
  replace (p best * s * (means l - means best)) with (- (p best * s * gap_l)) by (unfold gap_l; ring).
  assert (0 <= p best * s * gap_l) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra]).
  assert (gap_l * p l <= spread * gap_l * p l) by (apply Rmult_le_compat_r; nra).
  assert (0 <= spread * gap_l * p best) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra]). lra.
Qed.

Lemma price_logs :
  p best * s * (mu l - mu best) + sum arms (but l (but best (fun i => (p i - p i * p i / p l) * (mu i - mu l)))) <=
  p best * s * (means l - means best) +
  sum arms (but l (but best (fun i => (p i - p i * p i / p l) * (means i - means l)))) + 2 * c.
Proof.
  assert (Pl := positive l l_arm). assert (Pb := positive best best_arm). assert (Hs := s_range).
  assert (Hc := cost_nonneg).
  assert (Ml := shown_means l l_arm). assert (Mb := shown_means best best_arm).
  assert (First : p best * s * (mu l - mu best) <= p best * s * (means l - means best) + 2 * c * p best).
  { assert (p best * s * (mu l - mu best) <= p best * s * (means l - means best + 2 * c)).
    { apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]. }
    assert (p best * (2 * c) * s <= p best * (2 * c) * 1) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]).
    lra. }
  assert (Second : sum arms (but l (but best (fun i => (p i - p i * p i / p l) * (mu i - mu l)))) <=
    sum arms (but l (but best (fun i => (p i - p i * p i / p l) * (means i - means l)))) +
    sum arms (but l (fun i => 2 * c * but best p i))).
  { rewrite <- but_plus. apply but_le. intros i Hi Ni. unfold but. destruct (i =? best); [lra|].
    assert (Pi := positive i Hi). assert (Ri := ratio_range arms some_arms p p_valid i Hi). fold l in Ri.
    assert (Mi := shown_means i Hi).
    replace (p i - p i * p i / p l) with (p i * (1 - p i / p l)) by (field; lra).
    assert (W : 0 <= p i * (1 - p i / p l) <= p i) by (split; [apply Rmult_le_pos|apply part_le]; lra).
    set (w := p i * (1 - p i / p l)) in *.
    assert (w * (mu i - mu l) <= w * (means i - means l + 2 * c)) by (apply Rmult_le_compat_l; lra).
    assert (w * (2 * c) <= p i * (2 * c)) by (apply Rmult_le_compat_r; lra). lra. }
  rewrite but_scale in Second.
  assert (T := the_others). rewrite (but_out arms best p l l_arm wrong) in T.
  assert (2 * c * (p best + sum arms (but l (but best p))) <= 2 * c * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma paid_wrong_leads :
  regret arms best means p m + (p best * s * (mu l - mu best) +
    sum arms (but l (but best (fun i => (p i - p i * p i / p l) * (mu i - mu l))))) <= spread * gap_l + 2 * c.
Proof. rewrite regret_is. assert (Logs := clean_logs). assert (Price := price_logs). lra. Qed.
End Wrong.
End State.
End Gaps.
