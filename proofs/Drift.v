(** The potential V(p) = A / p(best) + w * (sum of ln p(a) over the other arms), and how much it grows in one round, in
    expectation, with w = 1 / alpha: for any number of arms, any leader, any shown laws of rewards in [0, 1]. *)
From Coq Require Import Reals Lra Lia Psatz Arith.
Require Import Samba Sums Play Step.
Open Scope R_scope.

Lemma ln_below : forall u, -1 < u -> ln (1 + u) <= u.
Proof.
  intros u H. destruct (Req_dec u 0) as [E|E].
  - rewrite E, Rplus_0_r, ln_1. lra.
  - left. rewrite <- (ln_exp u) at 2. apply ln_increasing; [lra|]. apply exp_ineq1; auto.
Qed.

Lemma ln_quotient : forall x y, 0 < x -> 0 < y -> ln (x / y) = ln x - ln y.
Proof.
  intros x y Hx Hy. unfold Rdiv. rewrite ln_mult, ln_Rinv; try lra. apply Rinv_0_lt_compat; lra.
Qed.

(** the logarithm is below its tangent *)
Lemma ln_tangent : forall x y, 0 < x -> 0 < y -> ln x <= ln y + (x - y) / y.
Proof.
  intros x y Hx Hy. assert (Q := ln_quotient x y Hx Hy).
  assert (0 < x / y) by (apply Rdiv_lt_0_compat; assumption).
  assert (T : ln (1 + (x / y - 1)) <= x / y - 1) by (apply ln_below; lra).
  replace (1 + (x / y - 1)) with (x / y) in T by ring.
  replace ((x - y) / y) with (x / y - 1) by (field; lra). lra.
Qed.

(** 1/p is convex: a reward x costs at most x times what the reward one costs. So Bernoulli rewards are the worst. *)
Lemma reciprocal_chord : forall q d x, 0 < q -> 0 < q + d -> 0 <= x <= 1 ->
  / (q + x * d) <= / q + x * (/ (q + d) - / q).
Proof.
  intros q d x Hq Hd Hx. assert (P : 0 < q + x * d) by (destruct (Rle_dec 0 d); nra).
  assert (D : / q + x * (/ (q + d) - / q) - / (q + x * d) = x * (1 - x) * (d * d) / (q * (q + d) * (q + x * d))).
  { field. repeat split; lra. }
  assert (0 <= x * (1 - x) * (d * d) / (q * (q + d) * (q + x * d))); [|lra].
  apply Rmult_le_pos; [apply Rmult_le_pos; nra|]. left. apply Rinv_0_lt_compat.
  apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; assumption|assumption].
Qed.

Definition potential (arms best : nat) (A w : R) (p : nat -> R) : R :=
  A / p best + w * sum arms (but best (fun a => ln (p a))).

Section Drift.
Variable arms best : nat.
Variable alpha A : R.
Variable means : nat -> R.
Hypothesis best_arm : (best < arms)%nat.
Hypothesis step : 0 < alpha < 1.
Hypothesis A_nonneg : 0 <= A.

Let some_arms : (0 < arms)%nat. Proof. lia. Qed.

Let V := potential arms best A (/ alpha).

Variable p : nat -> R.
Hypothesis p_valid : valid arms p.
Let l := leader arms p.

(** what V gains, at most, when the arm [a] pays one *)
Definition gain (a : nat) : R :=
  A * (/ (p best + shift arms alpha p l a best) - / p best) +
  / alpha * sum arms (but best (fun i => / p i * shift arms alpha p l a i)).

Lemma positive : forall i, (i < arms)%nat -> 0 < p i.
Proof. apply p_valid. Qed.

Lemma V_step : forall a x, (a < arms)%nat -> 0 <= x <= 1 -> V (learn arms alpha p a x) <= V p + x * gain a.
Proof.
  intros a x Ha Hx. unfold V, potential, gain.
  assert (Pb := positive best best_arm).
  assert (One : 0 < p best + shift arms alpha p l a best).
  { assert (S := shifted_positive arms alpha some_arms step p p_valid a best 1 Ha best_arm ltac:(lra)).
    fold l in S. lra. }
  assert (Recip : A / learn arms alpha p a x best <= A / p best + x * (A * (/ (p best + shift arms alpha p l a best) - / p best))).
  { rewrite (learn_line arms alpha some_arms p p_valid a x best Ha best_arm). fold l.
    assert (C := reciprocal_chord (p best) (shift arms alpha p l a best) x Pb One Hx).
    unfold Rdiv. apply (Rmult_le_compat_l A) in C; [|assumption]. lra. }
  assert (Logs : sum arms (but best (fun i => ln (learn arms alpha p a x i))) <=
                 sum arms (but best (fun i => ln (p i) + x * (/ p i * shift arms alpha p l a i)))).
  { apply but_le. intros i Hi _. assert (Pi := positive i Hi).
    assert (S := shifted_positive arms alpha some_arms step p p_valid a i x Ha Hi Hx).
    rewrite (learn_line arms alpha some_arms p p_valid a x i Ha Hi). fold l in S |- *.
    assert (T := ln_tangent (p i + x * shift arms alpha p l a i) (p i) S Pi).
    replace ((p i + x * shift arms alpha p l a i - p i) / p i) with (x * (/ p i * shift arms alpha p l a i)) in T
      by (field; lra). exact T. }
  rewrite but_plus, but_scale in Logs.
  assert (Ia : 0 < / alpha) by (apply Rinv_0_lt_compat; lra).
  apply (Rmult_le_compat_l (/ alpha)) in Logs; [|lra].
  lra.
Qed.

(** the expected growth of V is linear in the mean rewards that are shown *)
Lemma drift : forall m, lawful arms means is_law m ->
  after arms (learn arms alpha) V p m <= V p + sum arms (fun a => p a * mean_reward (shown m a) * gain a).
Proof.
  intros m L. unfold after.
  apply Rle_trans with (sum arms (fun a => V p * p a + p a * mean_reward (shown m a) * gain a)).
  - apply sum_le. intros a Ha. assert (Pa := positive a Ha).
    assert (M := mean_line (fun x => V (learn arms alpha p a x)) (V p) (gain a) (shown m a) (proj1 (L a Ha))
      (fun x Hx => V_step a x Ha Hx)).
    apply (Rmult_le_compat_l (p a)) in M; [|lra]. lra.
  - rewrite sum_plus, sum_scale, (proj2 p_valid). lra.
Qed.

(** the same sum, the logarithms gathered by the arm they belong to *)
Lemma drift_gathered : forall mu,
  sum arms (fun a => p a * mu a * gain a) =
  A * sum arms (fun a => p a * mu a * (/ (p best + shift arms alpha p l a best) - / p best)) +
  / alpha * sum arms (but best (fun i => / p i * sum arms (fun a => p a * mu a * shift arms alpha p l a i))).
Proof.
  intros mu. unfold gain.
  rewrite (sum_ext arms _ (fun a =>
    A * (p a * mu a * (/ (p best + shift arms alpha p l a best) - / p best)) +
    / alpha * ((p a * mu a) * sum arms (but best (fun i => / p i * shift arms alpha p l a i))))).
  2:{ intros. ring. }
  rewrite sum_plus, !sum_scale, but_swap. f_equal. f_equal.
  apply but_ext. intros i _ _. rewrite <- sum_scale. apply sum_ext. intros. ring.
Qed.

(** The best arm leads. *)
Lemma drift_best_leads : forall mu, l = best ->
  sum arms (fun a => p a * mu a * gain a) =
  alpha * A * sum arms (but best (fun a => (p a / p best) * (p a / p best) *
    (mu a / (1 - alpha * (p a / p best)) - mu best / (1 + alpha * contest arms p best)))) +
  sum arms (but best (fun a => p a * (mu a - mu best))).
Proof.
  intros mu E. rewrite drift_gathered. rewrite E. assert (Pb := positive best best_arm).
  assert (C := contest_range arms some_arms p p_valid). fold l in C. rewrite E in C.
  f_equal.
  - rewrite (sum_out arms _ best best_arm).
    rewrite (but_ext arms best _ (fun a => alpha * ((p a / p best) * (p a / p best) * (mu a / (1 - alpha * (p a / p best)))))).
    + rewrite but_scale.
      rewrite (but_ext arms best (fun a => (p a / p best) * (p a / p best) *
          (mu a / (1 - alpha * (p a / p best)) - mu best / (1 + alpha * contest arms p best)))
        (fun a => (p a / p best) * (p a / p best) * (mu a / (1 - alpha * (p a / p best))) +
                  - (mu best / (1 + alpha * contest arms p best)) * ((p a / p best) * (p a / p best)))).
      * rewrite but_plus, but_scale. fold (contest arms p best). unfold shift. rewrite !Nat.eqb_refl.
        assert (0 < 1 + alpha * contest arms p best) by nra.
        field. repeat split; nra.
      * intros. ring.
    + intros a Ha N. unfold shift. rewrite Nat.eqb_refl, (proj2 (Nat.eqb_neq a best) N).
      assert (R := leader_leads arms some_arms p a Ha). fold l in R. rewrite E in R.
      assert (Pa := positive a Ha). assert (0 < p best - alpha * p a) by nra.
      field. repeat split; lra.
  - rewrite <- but_scale. apply but_ext. intros i Hi N. assert (Pi := positive i Hi).
    assert (M := mean_shift_challenger arms alpha some_arms p p_valid mu i Hi).
    fold l in M. rewrite E in M. rewrite (M N). field. lra.
Qed.

(** Another arm leads. *)
Lemma drift_wrong_leads : forall mu, l <> best ->
  sum arms (fun a => p a * mu a * gain a) =
  alpha * A * (mu l / (1 - alpha * (p best / p l)) - mu best / (1 + alpha)) +
  (p best * (p best / p l) * (mu l - mu best) +
   sum arms (but l (but best (fun a => (p a - p a * p a / p l) * (mu a - mu l))))).
Proof.
  intros mu N. rewrite drift_gathered. assert (Pb := positive best best_arm).
  assert (l_arm : (l < arms)%nat) by apply leader_is_arm, some_arms. assert (Pl := positive l l_arm).
  assert (Nb : best <> l) by auto.
  assert (Eb := proj2 (Nat.eqb_neq best l) Nb). assert (El := proj2 (Nat.eqb_neq l best) N).
  f_equal.
  - rewrite (sum_two arms _ best l); auto.
    + unfold shift. rewrite !Nat.eqb_refl, Eb.
      assert (R := leader_leads arms some_arms p best best_arm). fold l in R.
      assert (0 < p l - alpha * p best) by nra.
      field. repeat split; nra.
    + intros k Hk N1 N2. unfold shift.
      rewrite Eb, (proj2 (Nat.eqb_neq k l) N2), (proj2 (Nat.eqb_neq k best) N1). rewrite Rplus_0_r. ring.
  - rewrite (but_out arms best _ l l_arm N). assert (Lead := mean_shift_leader arms alpha some_arms p p_valid mu).
    fold l in Lead. cbv beta. rewrite Lead.
    rewrite (but_out arms l _ best best_arm Nb).
    rewrite (but_ext arms l (but best (fun i => / p i * sum arms (fun a => p a * mu a * shift arms alpha p l a i)))
      (but best (fun i => alpha * (p i * (mu i - mu l))))).
    2:{ intros i Hi Ni. unfold but. destruct (i =? best); [reflexivity|]. assert (Pi := positive i Hi).
        assert (M := mean_shift_challenger arms alpha some_arms p p_valid mu i Hi Ni). fold l in M. rewrite M. field. lra. }
    set (rest := sum arms (but best (but l (fun i => alpha * (p i * p i) * (mu l - mu i))))).
    assert (Er : rest = sum arms (but l (but best (fun i => alpha * (p i * p i) * (mu l - mu i))))).
    { apply sum_ext. intros i _. unfold but. destruct (i =? best), (i =? l); reflexivity. }
    rewrite Er.
    assert (Sum : sum arms (but l (but best (fun a => (p a - p a * p a / p l) * (mu a - mu l)))) =
      / alpha * sum arms (but l (but best (fun i => alpha * (p i * (mu i - mu l))))) +
      / alpha * / p l * sum arms (but l (but best (fun i => alpha * (p i * p i) * (mu l - mu i))))).
    { rewrite <- !but_scale, <- but_plus. apply but_ext. intros i Hi Ni. unfold but.
      destruct (i =? best); [ring|]. field. lra. }
    rewrite Sum. cbv beta. field. lra.
Qed.
End Drift.
