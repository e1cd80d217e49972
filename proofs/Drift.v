(** The potential V(p) = f(p(best)) + w * (sum of ln p(a) over the other arms), f convex, and how much it grows in one
    round in expectation, with w = 1 / alpha: for any number of arms, any leader, any laws of rewards in [0, 1]. *)
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

(** below its chords, which is what convex means: a reward x costs at most x times what the reward one costs.
    So Bernoulli rewards are the worst. *)
Definition below_chords (f : R -> R) : Prop := forall q d x, 0 < q -> 0 < q + d -> 0 <= x <= 1 ->
  f (q + x * d) <= f q + x * (f (q + d) - f q).

Lemma reciprocal_below_chords : forall A, 0 <= A -> below_chords (fun y => A / y).
Proof.
  intros A HA q d x Hq Hd Hx. assert (P : 0 < q + x * d) by (destruct (Rle_dec 0 d); nra).
  assert (D : A / q + x * (A / (q + d) - A / q) - A / (q + x * d) =
    A * (x * (1 - x) * (d * d) / (q * (q + d) * (q + x * d)))).
  { field. repeat split; lra. }
  assert (0 <= A * (x * (1 - x) * (d * d) / (q * (q + d) * (q + x * d)))); [|lra].
  apply Rmult_le_pos; [assumption|]. apply Rmult_le_pos; [apply Rmult_le_pos; nra|]. left. apply Rinv_0_lt_compat.
  apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; assumption|assumption].
Qed.

Definition potential (arms best : nat) (f : R -> R) (w : R) (p : nat -> R) : R :=
  f (p best) + w * sum arms (but best (fun a => ln (p a))).

Section Drift.
Variable arms best : nat.
Variable alpha : R.
Variable f : R -> R.
Variable means : nat -> R.
Hypothesis best_arm : (best < arms)%nat.
Hypothesis step : 0 < alpha < 1.
Hypothesis f_convex : below_chords f.

Let some_arms : (0 < arms)%nat. Proof. lia. Qed.

Let V := potential arms best f (/ alpha).

Variable p : nat -> R.
Hypothesis p_valid : valid arms p.
Let l := leader arms p.

(** what V gains, at most, when the arm [a] pays one *)
Definition gain (a : nat) : R :=
  (f (p best + shift arms alpha p l a best) - f (p best)) +
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
  assert (Front : f (learn arms alpha p a x best) <=
    f (p best) + x * (f (p best + shift arms alpha p l a best) - f (p best))).
  { rewrite (learn_line arms alpha some_arms p p_valid a x best Ha best_arm). fold l. apply f_convex; assumption. }
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

(** the mean growth of f, and that of the logarithms *)
Definition front (mu : nat -> R) : R :=
  sum arms (fun a => p a * mu a * (f (p best + shift arms alpha p l a best) - f (p best))).
Definition logs (mu : nat -> R) : R :=
  sum arms (but best (fun i => / alpha * / p i * sum arms (fun a => p a * mu a * shift arms alpha p l a i))).

Lemma drift_is : forall mu, sum arms (fun a => p a * mu a * gain a) = front mu + logs mu.
Proof.
  intros mu. unfold gain, front, logs.
  rewrite (sum_ext arms _ (fun a =>
    p a * mu a * (f (p best + shift arms alpha p l a best) - f (p best)) +
    / alpha * ((p a * mu a) * sum arms (but best (fun i => / p i * shift arms alpha p l a i))))).
  2:{ intros. ring. }
  rewrite sum_plus, sum_scale, but_swap, <- but_scale. f_equal.
  apply but_ext. intros i _ _. rewrite <- !sum_scale. apply sum_ext. intros. ring.
Qed.

(** ** The logarithms *)
Lemma logs_best_leads : forall mu, l = best -> logs mu = sum arms (but best (fun a => p a * (mu a - mu best))).
Proof.
  intros mu E. apply but_ext. intros i Hi N. assert (Pi := positive i Hi).
  assert (M := mean_shift_challenger arms alpha some_arms p p_valid mu i Hi).
  fold l in M. rewrite E in *. rewrite (M N). field. lra.
Qed.

Lemma logs_wrong_leads : forall mu, l <> best ->
  logs mu = p best * (p best / p l) * (mu l - mu best) +
            sum arms (but l (but best (fun a => (p a - p a * p a / p l) * (mu a - mu l)))).
Proof.
  intros mu N. unfold logs. assert (Nb : best <> l) by auto.
  assert (l_arm : (l < arms)%nat) by apply leader_is_arm, some_arms. assert (Pl := positive l l_arm).
  rewrite (but_out arms best _ l l_arm N). assert (Lead := mean_shift_leader arms alpha some_arms p p_valid mu).
  fold l in Lead. cbv beta. rewrite Lead.
  rewrite (but_out arms l _ best best_arm Nb).
  rewrite (but_ext arms l (but best (fun i => / alpha * / p i * sum arms
    (fun a => p a * mu a * shift arms alpha p l a i)))
    (but best (fun i => p i * (mu i - mu l)))).
  2:{ intros i Hi Ni. unfold but. destruct (i =? best); [reflexivity|]. assert (Pi := positive i Hi).
      assert (M := mean_shift_challenger arms alpha some_arms p p_valid mu i Hi Ni). fold l in M. rewrite M. field.
      lra. }
  assert (Er : sum arms (but best (but l (fun i => alpha * (p i * p i) * (mu l - mu i)))) =
               sum arms (but l (but best (fun i => alpha * (p i * p i) * (mu l - mu i))))).
  { apply sum_ext. intros i _. unfold but. destruct (i =? best), (i =? l); reflexivity. }
  rewrite Er.
  assert (Sum : sum arms (but l (but best (fun a => (p a - p a * p a / p l) * (mu a - mu l)))) =
    sum arms (but l (but best (fun i => p i * (mu i - mu l)))) +
    / alpha * / p l * sum arms (but l (but best (fun i => alpha * (p i * p i) * (mu l - mu i))))).
  { rewrite <- but_scale, <- but_plus. apply but_ext. intros i Hi Ni. unfold but.
    destruct (i =? best); [ring|]. field. lra. }
  rewrite Sum. cbv beta. field. lra.
Qed.

(** ** The front: only two arms move p(best) while another arm leads *)
Lemma front_wrong_leads : forall mu, l <> best ->
  front mu = p best * mu best * (f (p best * (1 + alpha)) - f (p best)) +
             p l * mu l * (f (p best * (1 - alpha * (p best / p l))) - f (p best)).
Proof.
  intros mu N. assert (Nb : best <> l) by auto. assert (l_arm : (l < arms)%nat) by apply leader_is_arm, some_arms.
  assert (Eb := proj2 (Nat.eqb_neq best l) Nb).
  unfold front. rewrite (sum_two arms _ best l); auto.
  - unfold shift. rewrite !Nat.eqb_refl, Eb.
    replace (p best + alpha * p best) with (p best * (1 + alpha)) by ring.
    replace (p best + - (alpha * (p best / p l) * p best)) with (p best * (1 - alpha * (p best / p l))) by ring.
    reflexivity.
  - intros k Hk N1 N2. unfold shift.
    rewrite Eb, (proj2 (Nat.eqb_neq k l) N2), (proj2 (Nat.eqb_neq k best) N1), Rplus_0_r. ring.
Qed.
End Drift.

(** ** The front A / p *)
Section Reciprocal.
Variable arms best : nat.
Variable alpha A : R.
Hypothesis best_arm : (best < arms)%nat.
Hypothesis step : 0 < alpha < 1.
Let some_arms : (0 < arms)%nat. Proof. lia. Qed.
Variable p : nat -> R.
Hypothesis p_valid : valid arms p.
Let l := leader arms p.
Let front := front arms best alpha (fun y => A / y) p.

Lemma reciprocal_front_best_leads : forall mu, l = best ->
  front mu = alpha * A * sum arms (but best (fun a => (p a / p best) * (p a / p best) *
    (mu a / (1 - alpha * (p a / p best)) - mu best / (1 + alpha * contest arms p best)))).
Proof.
  intros mu E. assert (Pb : 0 < p best) by (apply p_valid, best_arm).
  assert (C := contest_range arms some_arms p p_valid). fold l in C. rewrite E in C.
  unfold front, Drift.front. fold l. rewrite E. rewrite (sum_out arms _ best best_arm).
  rewrite (but_ext arms best _
    (fun a => alpha * A * ((p a / p best) * (p a / p best) * (mu a / (1 - alpha * (p a / p best)))))).
  - rewrite but_scale.
    rewrite (but_ext arms best (fun a => (p a / p best) * (p a / p best) *
        (mu a / (1 - alpha * (p a / p best)) - mu best / (1 + alpha * contest arms p best)))
      (fun a => (p a / p best) * (p a / p best) * (mu a / (1 - alpha * (p a / p best))) +
                - (mu best / (1 + alpha * contest arms p best)) * ((p a / p best) * (p a / p best)))).
    + rewrite but_plus, but_scale. fold (contest arms p best). unfold shift. rewrite !Nat.eqb_refl.
      assert (0 < 1 + alpha * contest arms p best) by nra.
      field. repeat split; nra.
    + intros. ring.
  - intros a Ha N. unfold shift. rewrite Nat.eqb_refl, (proj2 (Nat.eqb_neq a best) N).
    assert (R := leader_leads arms some_arms p a Ha). fold l in R. rewrite E in R.
    assert (Pa : 0 < p a) by (apply p_valid, Ha). assert (0 < p best - alpha * p a) by nra.
    field. repeat split; lra.
Qed.

Lemma reciprocal_front_wrong_leads : forall mu, l <> best ->
  front mu = alpha * A * (mu l / (1 - alpha * (p best / p l)) - mu best / (1 + alpha)).
Proof.
  intros mu N. assert (Pb : 0 < p best) by (apply p_valid, best_arm).
  assert (Pl : 0 < p l) by (apply p_valid, leader_is_arm, some_arms).
  assert (R := leader_leads arms some_arms p best best_arm). fold l in R.
  unfold front. rewrite (front_wrong_leads arms best alpha _ best_arm p mu N). fold l.
  assert (0 < p l - alpha * p best) by nra. field. repeat split; nra.
Qed.
End Reciprocal.
