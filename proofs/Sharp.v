(** Theorem 1': two arms and Bernoulli rewards, with the sharp constant in front of the logarithm.
    E[regret] <= b' E[cost] + A + (lambda / alpha) ln (1 + alpha T / (2 (1 - alpha))). *)
From Coq Require Import Reals Lra Lia Psatz Arith List.
Require Import Samba Sums Play Step Drift Tail Bound TwoArms.
Import ListNotations.
Open Scope R_scope.

(** what a success changes in 1/p, weighed by the chances: the best arm leads (q = s p), the other leads (p = s q) *)
Lemma reciprocals_best_leads : forall alpha A x1 x2 p s, 0 < alpha < 1 -> 0 < s <= 1 -> 0 < p ->
  p * x1 * (A * (/ (p + alpha * (s * s * p)) - / p)) + s * p * x2 * (A * (/ (p + - (alpha * (s * p))) - / p)) =
  alpha * A * (s * s * (x2 / (1 - alpha * s) - x1 / (1 + alpha * (s * s)))).
Proof.
  intros alpha A x1 x2 p s Ha Hs Hp. assert (0 < 1 - alpha * s) by nra. assert (0 < 1 + alpha * (s * s)) by nra.
  replace (p + alpha * (s * s * p)) with (p * (1 + alpha * (s * s))) by ring.
  replace (p + - (alpha * (s * p))) with (p * (1 - alpha * s)) by ring. field. repeat split; lra.
Qed.

Lemma reciprocals_other_leads : forall alpha A x1 x2 q s, 0 < alpha < 1 -> 0 < s <= 1 -> 0 < q ->
  s * q * x1 * (A * (/ (s * q + alpha * (s * q)) - / (s * q))) + q * x2 * (A * (/ (s * q +
    - (alpha * s * (s * q))) - / (s * q))) =
  alpha * A * (x2 / (1 - alpha * s) - x1 / (1 + alpha)).
Proof.
  intros alpha A x1 x2 q s Ha Hs Hq. assert (0 < 1 - alpha * s) by nra.
  replace (s * q + alpha * (s * q)) with (s * q * (1 + alpha)) by ring.
  replace (s * q + - (alpha * s * (s * q))) with (s * q * (1 - alpha * s)) by ring. field. repeat split; lra.
Qed.

Section Sharp.
Variables best other : nat.
Hypothesis the_arms : (best = 0 /\ other = 1 \/ best = 1 /\ other = 0)%nat.
Variable means : nat -> R.
Variable alpha : R.
Let r1 := means best.
Let r2 := means other.
Let gap := r1 - r2.
Hypothesis rewards : 0 <= r2 < r1.
Hypothesis step : 0 < alpha < 1.
Hypothesis small_step : alpha * (r1 + r2) <= gap.
Let rho := rho best other means alpha.
Let A := A best other means alpha.
Let a := / (1 - rho).

Definition lambda : R := alpha * gap / (alpha * r1 - r2 * ln (1 + alpha)).
Definition b' : R := lambda + 2 / ((1 - rho) * (1 - alpha)).

Hypothesis sharp_step : rho * (1 + alpha) / ((1 - rho) * (1 - alpha)) <= (1 + lambda) / 2.

Let rho_small : 0 < 1 - rho := rho_below_one best other means alpha rewards step small_step.
Let a_pos : 0 < a := a_positive best other means alpha rewards step small_step.
Let A_pos : 0 < A := A_positive best other means alpha rewards step small_step.

(** the speed at which ln q falls while the best arm leads *)
Lemma speed_at_least : alpha * gap <= alpha * r1 - r2 * ln (1 + alpha).
Proof.
  assert (L : ln (1 + alpha) <= alpha) by (apply ln_below; lra).
  assert (r2 * ln (1 + alpha) <= r2 * alpha) by (apply Rmult_le_compat_l; lra). unfold gap. lra.
Qed.

Lemma gap_pos : 0 < gap. Proof. unfold gap. lra. Qed.

Lemma lambda_range : 0 < lambda <= 1.
Proof.
  assert (S := speed_at_least). assert (G := gap_pos). assert (0 < alpha * gap) by (apply Rmult_lt_0_compat; lra).
  unfold lambda. split; [apply Rdiv_lt_0_compat; lra|].
  apply Rmult_le_reg_r with (alpha * r1 - r2 * ln (1 + alpha)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(** lambda is the weight at which that speed pays exactly for the regret *)
Lemma lambda_pays : lambda / alpha * (r2 * ln (1 + alpha) - alpha * r1) = - gap.
Proof.
  assert (S := speed_at_least). assert (G := gap_pos). assert (0 < alpha * gap) by (apply Rmult_lt_0_compat; lra).
  unfold lambda. field. split; lra.
Qed.

Lemma b'_is : b' = lambda + 2 * a / (1 - alpha).
Proof. unfold b', a. field. split; lra. Qed.

(** ** One round in numbers *)
Section Round.
Variables x1 x2 c p q s : R.
Hypothesis shown1 : r1 - c <= x1 <= r1 + c.
Hypothesis shown2 : r2 - c <= x2 <= r2 + c.
Hypothesis ratio : 0 < s <= 1.
Hypothesis probabilities : p + q = 1 /\ 0 < p /\ 0 < q.

Lemma small : 0 < 1 - alpha <= 1 - alpha * s.
Proof. split; [lra|]. nra. Qed.

Lemma sharp_clean_other_leads : p = s * q ->
  a * ((1 + alpha) * r2 / (1 - alpha * s) - r1) + gap * q - lambda * (p * s) * gap <= 0.
Proof.
  intros E. assert (Q := small). assert (G := gap_pos). assert (L := lambda_range).
  assert (R0 : 0 <= rho).
  { unfold rho, TwoArms.rho. fold r1 r2 gap. apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. left.
    apply Rinv_0_lt_compat. assumption. }
  assert (Er : alpha * r2 = rho * gap) by (unfold rho, TwoArms.rho; fold r1 r2 gap; field; lra).
  set (kappa := rho * (1 + alpha) / ((1 - rho) * (1 - alpha * s))).
  assert (Form : a * ((1 + alpha) * r2 / (1 - alpha * s) - r1) = gap * (s * kappa - 1)).
  { replace ((1 + alpha) * r2 / (1 - alpha * s) - r1) with ((alpha * r2) * (1 + s) / (1 - alpha * s) - gap)
      by (unfold gap; field; lra).
    rewrite Er. unfold a, kappa. field. split; lra. }
  assert (K : kappa <= (1 + lambda) / 2).
  { apply Rle_trans with (rho * (1 + alpha) / ((1 - rho) * (1 - alpha))); [|exact sharp_step].
    unfold kappa, Rdiv. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|].
    apply inv_le; [apply Rmult_lt_0_compat; lra|]. apply Rmult_le_compat_l; lra. }
  (* (1 + lambda s) / (1 + s) is at least (1 + lambda) / 2 *)
  assert (Eq : q * (1 + s) = 1) by lra.
  assert (H : (1 + lambda) / 2 <= q * (1 + lambda * s)).
  { replace ((1 + lambda) / 2) with (q * (1 + s) * ((1 + lambda) / 2)) by (rewrite Eq; ring).
    rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|].
    assert (0 <= (1 - lambda) * (1 - s)) by (apply Rmult_le_pos; lra). lra. }
  rewrite Form.
  replace (gap * (s * kappa - 1) + gap * q - lambda * (p * s) * gap)
    with (- (gap * (s * (q * (1 + lambda * s) - kappa) + (1 - q * (1 + s))))) by (rewrite E; ring).
  rewrite Eq. assert (0 <= gap * (s * (q * (1 + lambda * s) - kappa) + (1 - 1))); [|lra].
  apply Rmult_le_pos; [lra|]. assert (0 <= s * (q * (1 + lambda * s) - kappa)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma sharp_other_leads : p = s * q ->
  a * (1 + alpha) * (x2 / (1 - alpha * s) - x1 / (1 + alpha)) + lambda * (p * s) * (x2 - x1) + gap * q <= b' * c.
Proof.
  intros E. assert (L := lambda_range). assert (Clean := sharp_clean_other_leads E). assert (Hc : 0 <= c) by lra.
  assert (Rec := reciprocal_other_leads best other means alpha rewards step small_step x1 x2 c s shown1 shown2 ratio).
  fold r1 r2 rho a in Rec.
  assert (Ps : 0 <= p * s <= 1 / 2) by (clear - ratio probabilities E; split; nra).
  assert (Lp : 0 <= lambda * (p * s) <= lambda * (1 / 2)) by (split; [apply Rmult_le_pos|apply Rmult_le_compat_l]; lra).
  assert (Logs : lambda * (p * s) * (x2 - x1) <= lambda * (p * s) * (- gap + 2 * c)).
  { apply Rmult_le_compat_l; [lra|]. unfold gap. lra. }
  assert (c * (2 * (lambda * (p * s))) <= c * lambda) by (apply Rmult_le_compat_l; lra).
  rewrite b'_is. lra.
Qed.

Lemma sharp_best_leads : q = s * p ->
  a * (1 + alpha) * (s * s * (x2 / (1 - alpha * s) - x1 / (1 + alpha * (s * s)))) +
  lambda / alpha * (q * (x2 * ln (1 + alpha) - alpha * x1)) + gap * q <= b' * c.
Proof.
  intros E. assert (L := lambda_range). assert (Pay := lambda_pays). assert (Hc : 0 <= c) by lra.
  assert (Rec := reciprocal_best_leads best other means alpha rewards step small_step x1 x2 c s shown1 shown2 ratio).
  fold rho a in Rec.
  assert (LA : 0 <= ln (1 + alpha) <= alpha).
  { split; [|apply ln_below; lra]. rewrite <- ln_1. left. apply ln_increasing; lra. }
  assert (W : 0 < lambda / alpha) by (apply Rdiv_lt_0_compat; lra).
  assert (Logs : lambda / alpha * (q * (x2 * ln (1 + alpha) - alpha * x1)) <= - (gap * q) + lambda * (c * (2 * q))).
  { apply Rle_trans with (lambda / alpha * (q * (r2 * ln (1 + alpha) - alpha * r1 + 2 * alpha * c))).
    - apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [lra|].
      assert (x2 * ln (1 + alpha) <= (r2 + c) * ln (1 + alpha)) by (apply Rmult_le_compat_r; lra).
      assert (c * ln (1 + alpha) <= c * alpha) by (apply Rmult_le_compat_l; lra).
      assert (alpha * (r1 - c) <= alpha * x1) by (apply Rmult_le_compat_l; lra). lra.
    - right. transitivity (q * (lambda / alpha * (r2 * ln (1 + alpha) - alpha * r1)) +
        q * (2 * c * lambda)); [field; lra|].
      rewrite Pay. ring. }
  assert (Half : 2 * q <= 1) by (clear - ratio probabilities E; nra).
  assert (c * (2 * q) <= c * 1) by (apply Rmult_le_compat_l; lra).
  assert (lambda * (c * (2 * q)) <= lambda * (c * 1)) by (apply Rmult_le_compat_l; lra).
  rewrite b'_is. lra.
Qed.
End Round.

(** ** From the update rule to the play *)
Let V := potential 2 best (fun y => A / y) (lambda / alpha).
Let best_arm : (best < 2)%nat := best_arm best other the_arms.
Let other_arm : (other < 2)%nat := other_arm best other the_arms.
Let two_arms : (0 < 2)%nat. Proof. lia. Qed.

Lemma V_is : forall p, V p = A / p best + lambda / alpha * ln (p other).
Proof. intros p. unfold V, potential. rewrite (sum_of_one best other the_arms). reflexivity. Qed.

(** with Bernoulli rewards the drift needs no inequality: a failure changes nothing *)
Lemma V_after : forall p m, valid 2 p -> lawful 2 means is_bernoulli m ->
  let l := leader 2 p in let mu i := mean_reward (shown m i) in
  let shifted a i := p i + shift 2 alpha p l a i in
  let change a := A * (/ shifted a best - / p best) + lambda / alpha * (ln (shifted a other) - ln (p other)) in
  after 2 (learn 2 alpha) V p m = V p + (p best * mu best * change best + p other * mu other * change other).
Proof.
  intros p m Hp Hm l mu shifted change. unfold after. rewrite (sum_of_two best other the_arms).
  assert (S : p best + p other = 1) by (rewrite <- (proj2 Hp); symmetry; apply sum_of_two; assumption).
  assert (One : forall i, (i < 2)%nat ->
    mean (fun x => V (learn 2 alpha p i x)) (shown m i) = V p + mu i * change i).
  { intros i Hi. rewrite (mean_bernoulli _ _ (proj1 (Hm i Hi))). fold (mu i). rewrite !V_is.
    rewrite !(learn_line 2 alpha two_arms p Hp i _ best Hi best_arm), !(learn_line 2 alpha two_arms p Hp i _ other Hi
      other_arm).
    fold l. unfold change, shifted. rewrite !Rmult_1_l, !Rmult_0_l, !Rplus_0_r. unfold Rdiv. ring. }
  rewrite (One best best_arm), (One other other_arm).
  replace (V p) with (V p * (p best + p other)) at 3 by (rewrite S; ring). ring.
Qed.

Theorem sharp_one_round : forall p m, valid 2 p -> lawful 2 means is_bernoulli m ->
  regret 2 best means p m - b' * cost m + after 2 (learn 2 alpha) V p m <= V p.
Proof.
  intros p m Hp Hm. rewrite (V_after p m Hp Hm). cbv zeta. assert (L := lambda_range).
  set (mu := fun i => mean_reward (shown m i)). change (mean_reward (shown m best)) with (mu best).
  change (mean_reward (shown m other)) with (mu other).
  assert (M1 : r1 - cost m <= mu best <= r1 + cost m) by (apply Hm, best_arm).
  assert (M2 : r2 - cost m <= mu other <= r2 + cost m) by (apply Hm, other_arm).
  assert (N1 : 0 <= mu best) by (apply mean_reward_range, bernoulli_is_law, (proj1 (Hm best best_arm))).
  assert (N2 : 0 <= mu other) by (apply mean_reward_range, bernoulli_is_law, (proj1 (Hm other other_arm))).
  assert (P1 : 0 < p best) by (apply Hp, best_arm). assert (P2 : 0 < p other) by (apply Hp, other_arm).
  assert (S : p best + p other = 1) by (rewrite <- (proj2 Hp); symmetry; apply sum_of_two; assumption).
  assert (Reg : regret 2 best means p m = gap * p other).
  { unfold regret. rewrite (sum_of_two best other the_arms). unfold gap, r1, r2. ring. }
  rewrite Reg. assert (AA : alpha * A = a * (1 + alpha)) by (apply TwoArms.alpha_A; assumption).
  assert (W : 0 < lambda / alpha) by (apply Rdiv_lt_0_compat; lra).
  assert (Nb : (best =? other)%nat = false) by (apply Nat.eqb_neq; lia).
  assert (No : (other =? best)%nat = false) by (apply Nat.eqb_neq; lia).
  assert (Ln1 : forall y, 0 < p other + y -> ln (p other + y) - ln (p other) <= y / p other).
  { intros y Hy. assert (T := ln_tangent (p other + y) (p other) Hy P2).
    replace ((p other + y - p other) / p other) with (y / p other) in T by (field; lra). lra. }
  assert (Weigh : forall i y z, 0 <= mu i -> 0 < p i -> y <= z ->
    p i * mu i * (lambda / alpha * y) <= p i * mu i * (lambda / alpha * z)).
  { intros i y z Hi Hpi H. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_l; lra. }
  destruct (Nat.eq_dec (leader 2 p) best) as [E|N].
  - rewrite E. assert (R := ratio_range 2 two_arms p Hp other other_arm). rewrite E in R.
    assert (C : contest 2 p best = p other / p best * (p other / p best))
      by (unfold contest; apply (sum_of_one best other the_arms)).
    assert (T := sharp_best_leads (mu best) (mu other) (cost m) (p best) (p other) (p other / p best) M1 M2 R
      ltac:(lra) ltac:(field; lra)).
    unfold shift. rewrite !Nat.eqb_refl, ?Nb, ?No, C. set (s := p other / p best) in *.
    assert (Es : p other = s * p best) by (unfold s; field; lra).
    assert (Q : alpha * s < 1) by (clear - R step; nra).
    assert (In : 0 < p other + - (alpha * s * p other)) by (clear - Q P2; nra).
    assert (D1 := Weigh best _ _ N1 P1 (Ln1 _ In)).
    replace (p best * mu best * (lambda / alpha * (- (alpha * s * p other) / p other)))
      with (lambda / alpha * (p other * (- alpha * mu best))) in D1 by (unfold s; field; lra).
    assert (D2 : ln (p other + alpha * p other) - ln (p other) = ln (1 + alpha)).
    { replace (p other + alpha * p other) with (p other * (1 + alpha)) by ring. rewrite ln_mult; lra. }
    assert (F := reciprocals_best_leads alpha A (mu best) (mu other) (p best) s step R P1). rewrite <- Es, AA in F.
    rewrite D2. lra.
  - assert (E : leader 2 p = other) by (assert (Lr := leader_is_arm 2 two_arms p); lia).
    rewrite E. assert (R := ratio_range 2 two_arms p Hp best best_arm). rewrite E in R.
    assert (C : contest 2 p other = p best / p other * (p best / p other)).
    { unfold contest. rewrite (sum_of_two best other the_arms), but_same, but_other; [ring|lia]. }
    assert (T := sharp_other_leads (mu best) (mu other) (cost m) (p best) (p other) (p best / p other) M1 M2 R
      ltac:(lra) ltac:(field; lra)).
    unfold shift. rewrite !Nat.eqb_refl, ?Nb, ?No, C. set (s := p best / p other) in *.
    assert (Es : p best = s * p other) by (unfold s; field; lra).
    assert (Q : alpha * s < 1) by (clear - R step; nra).
    assert (In1 : 0 < p other + - (alpha * p best)) by (rewrite Es; clear - Q P2; nra).
    assert (In2 : 0 < p other + alpha * (s * s * p other)).
    { assert (0 < s * s * p other) by (apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
      assert (0 < alpha * (s * s * p other)) by (apply Rmult_lt_0_compat; lra). lra. }
    assert (D1 := Weigh best _ _ N1 P1 (Ln1 _ In1)). assert (D2 := Weigh other _ _ N2 P2 (Ln1 _ In2)).
    replace (p best * mu best * (lambda / alpha * (- (alpha * p best) / p other)))
      with (- (lambda * (p best * s) * mu best)) in D1 by (unfold s; field; lra).
    replace (p other * mu other * (lambda / alpha * (alpha * (s * s * p other) / p other)))
      with (lambda * (p best * s) * mu other) in D2 by (unfold s; field; lra).
    assert (F := reciprocals_other_leads alpha A (mu best) (mu other) (p other) s step R P2). rewrite <- Es, AA in F.
    lra.
Qed.

Theorem theorem_1_sharp : forall adv T, always_lawful 2 means is_bernoulli adv ->
  E_regret best means alpha adv T <=
  b' * E_cost alpha adv T + A + lambda / alpha * ln (1 + alpha * INR T / (2 * (1 - alpha))).
Proof.
  intros adv T L. assert (Lr := lambda_range).
  assert (weight : 0 <= lambda / alpha) by (left; apply Rdiv_lt_0_compat; lra).
  assert (F := from_one_round_two 2 best alpha (lambda / alpha) A (fun y => A / y) means best_arm step
    (fun y => reciprocal_least A y ltac:(lra)) weight is_bernoulli bernoulli_is_law
    (fun p m => regret 2 best means p m + - b' * cost m) adv T eq_refl L).
  specialize (F ltac:(intros p m Hp Hm; generalize (sharp_one_round p m Hp Hm); unfold V; lra)).
  assert (Lin : E_sum 2 (learn 2 alpha) (fun p m => regret 2 best means p m + - b' * cost m) adv T =
                E_regret best means alpha adv T + - b' * E_cost alpha adv T).
  { unfold E_regret, E_cost, E_sum. rewrite <- expected_linear. apply expected_same; intros; unfold nought; ring. }
  rewrite Lin in F. replace (A / (1 / 2) - A) with A in F by field. lra.
Qed.
End Sharp.
