(** Theorem 1: two arms. For every adaptive adversary and every number of rounds T
    E[regret] <= b E[cost] + A + (1 / alpha) ln (1 + alpha T / (2 (1 - alpha))). *)
From Coq Require Import Reals Lra Lia Psatz Arith List.
Require Import Samba Sums Play Step Drift Tail Bound.
Import ListNotations.
Open Scope R_scope.

Section TwoArms.
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

Definition rho : R := alpha * r2 / gap.
Definition A : R := (1 + alpha) / (alpha * (1 - rho)).
Definition b : R := 1 + 2 / ((1 - rho) * (1 - alpha)).

(** ** Constants *)
Let a := / (1 - rho).

Lemma gap_positive : 0 < gap.
Proof. unfold gap. lra. Qed.

Lemma room : 2 * (alpha * r2) <= gap * (1 - alpha).
Proof. unfold gap in *. lra. Qed.

Lemma rho_below_one : 0 < 1 - rho.
Proof.
  assert (G := gap_positive). assert (R := room). unfold rho.
  replace (1 - alpha * r2 / gap) with ((gap - alpha * r2) / gap) by (field; lra).
  assert (0 <= alpha * r2) by (apply Rmult_le_pos; lra). assert (0 < alpha * gap) by (apply Rmult_lt_0_compat; lra).
  apply Rdiv_lt_0_compat; lra.
Qed.

Lemma a_positive : 0 < a.
Proof. apply Rinv_0_lt_compat, rho_below_one. Qed.

Lemma A_positive : 0 < A.
Proof.
  assert (R := rho_below_one). unfold A. apply Rdiv_lt_0_compat; [lra|]. apply Rmult_lt_0_compat; lra.
Qed.

Lemma alpha_A : alpha * A = a * (1 + alpha).
Proof. assert (R := rho_below_one). unfold A, a. field. lra. Qed.

Lemma b_is : b = 1 + 2 * a / (1 - alpha).
Proof. assert (R := rho_below_one). unfold b, a. field. lra. Qed.

(** the step allows no more *)
Lemma b_at_most : b <= 1 + 4 / ((1 - alpha) * (1 + alpha)).
Proof.
  assert (G := gap_positive). assert (R := room). assert (P := rho_below_one).
  assert (H : (1 + alpha) / 2 <= 1 - rho).
  { apply Rmult_le_reg_r with gap; [assumption|]. unfold rho.
    replace ((1 - alpha * r2 / gap) * gap) with (gap - alpha * r2) by (field; lra). lra. }
  unfold b. apply Rplus_le_compat_l.
  replace (4 / ((1 - alpha) * (1 + alpha))) with (2 * / ((1 + alpha) / 2 * (1 - alpha))) by (field; lra).
  unfold Rdiv at 1. apply Rmult_le_compat_l; [lra|]. apply inv_le; [apply Rmult_lt_0_compat; lra|].
  apply Rmult_le_compat_r; lra.
Qed.

Lemma a_is : a = gap / (gap - alpha * r2).
Proof.
  assert (R := rho_below_one). assert (G := gap_positive). unfold a.
  replace (1 - rho) with ((gap - alpha * r2) / gap) in * by (unfold rho; field; lra).
  field. split; [|lra]. intros E. rewrite E in R. unfold Rdiv in R. lra.
Qed.

(** ** One round in numbers: x1, x2 the shown means, c the cost, s the smaller probability over the larger *)
Section Round.
Variables x1 x2 c p q s : R.
Hypothesis shown1 : r1 - c <= x1 <= r1 + c.
Hypothesis shown2 : r2 - c <= x2 <= r2 + c.
Hypothesis ratio : 0 < s <= 1.
Hypothesis probabilities : p + q = 1 /\ 0 < p /\ 0 < q.

Lemma ratio_small : 0 < 1 - alpha <= 1 - alpha * s.
Proof. clear probabilities shown1 shown2. split; [lra|]. nra. Qed.

(** the other arm leads, no corruption *)
Lemma clean_other_leads : a * ((1 + alpha) * r2 / (1 - alpha * s) - r1) + gap * (1 - s) <= 0.
Proof.
  assert (G := gap_positive). assert (R := room). assert (Q := ratio_small).
  assert (P : 0 < gap - alpha * r2).
  { assert (0 <= alpha * r2) by (apply Rmult_le_pos; lra). assert (0 < alpha * gap) by (apply Rmult_lt_0_compat; lra).
    lra. }
  rewrite a_is.
  replace (gap / (gap - alpha * r2) * ((1 + alpha) * r2 / (1 - alpha * s) - r1) + gap * (1 - s))
    with (- (gap * s * (gap * (1 - alpha * s) - alpha * r2 * (2 +
      alpha * (1 - s))) / ((gap - alpha * r2) * (1 - alpha * s)))).
  2:{ unfold gap in *. field. split; lra. }
  assert (K : 0 <= gap * (1 - alpha * s) - alpha * r2 * (2 + alpha * (1 - s))).
  { assert (0 <= alpha * (1 - s) * (gap - alpha * r2)) by (repeat apply Rmult_le_pos; lra). lra. }
  assert (0 <= gap * s * (gap * (1 - alpha * s) - alpha * r2 * (2 +
    alpha * (1 - s))) / ((gap - alpha * r2) * (1 - alpha * s))); [|lra].
  apply Rmult_le_pos; [repeat apply Rmult_le_pos; lra|]. left. apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra.
Qed.

(** the other arm leads: what corruption does to 1/p *)
Lemma reciprocal_other_leads : a * (1 + alpha) * (x2 / (1 - alpha * s) - x1 / (1 + alpha)) <=
  a * ((1 + alpha) * r2 / (1 - alpha * s) - r1) + c * (2 * a / (1 - alpha)).
Proof.
  clear probabilities.
  assert (Q := ratio_small). assert (Ha := a_positive). set (k := (1 + alpha) / (1 - alpha * s)).
  assert (Hk : 0 < k) by (apply Rdiv_lt_0_compat; lra).
  assert (K : k + 1 <= 2 / (1 - alpha)).
  { replace (2 / (1 - alpha)) with ((1 + alpha) / (1 - alpha) + 1) by (field; lra).
    apply Rplus_le_compat_r. unfold k, Rdiv. apply Rmult_le_compat_l; [lra|]. apply inv_le; lra. }
  replace (a * (1 + alpha) * (x2 / (1 - alpha * s) - x1 / (1 + alpha))) with (a * (k * x2 - x1))
    by (unfold k; field; lra).
  replace (a * ((1 + alpha) * r2 / (1 - alpha * s) - r1) + c * (2 * a / (1 - alpha)))
    with (a * (k * r2 - r1 + c * (2 / (1 - alpha)))) by (unfold k; field; lra).
  apply Rmult_le_compat_l; [lra|].
  assert (k * x2 <= k * (r2 + c)) by (apply Rmult_le_compat_l; lra).
  apply (Rmult_le_compat_l c) in K; lra.
Qed.

Lemma other_leads : p = s * q ->
  a * (1 + alpha) * (x2 / (1 - alpha * s) - x1 / (1 + alpha)) + p * s * (x2 - x1) + gap * q <= b * c.
Proof.
  intros E. assert (Clean := clean_other_leads). assert (Rec := reciprocal_other_leads). assert (Hc : 0 <= c) by lra.
  assert (Logs : p * s * (x2 - x1) <= p * s * (- gap + 2 * c)).
  { apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. unfold gap. lra. }
  assert (Rest : p * s = q - (1 - s)) by (clear - probabilities E; nra).
  assert (Half : p * s <= 1 / 2) by (clear - ratio probabilities E; nra).
  assert (c * (2 * (p * s)) <= c * 1) by (apply Rmult_le_compat_l; lra).
  rewrite b_is, Rest in *. lra.
Qed.

(** the best arm leads, no corruption: the only place where alpha (r1 + r2) <= gap is needed in full *)
Lemma clean_best_leads : r2 / (1 - alpha * s) - r1 / (1 + alpha * (s * s)) <= 0.
Proof.
  clear probabilities. assert (Q := ratio_small). assert (S2 : 0 <= s * s <= 1) by nra.
  assert (P : 0 < 1 + alpha * (s * s)) by nra.
  replace (r2 / (1 - alpha * s) - r1 / (1 + alpha * (s * s)))
    with (- ((gap - alpha * (s * r1 + s * s * r2)) / ((1 - alpha * s) * (1 + alpha * (s * s)))))
      by (unfold gap; field; lra).
  assert (K : 0 <= gap - alpha * (s * r1 + s * s * r2)).
  { assert (s * r1 <= r1) by nra. assert (s * s * r2 <= r2) by nra.
    assert (alpha * (s * r1 + s * s * r2) <= alpha * (r1 + r2)) by (apply Rmult_le_compat_l; lra). lra. }
  assert (0 <= (gap - alpha * (s * r1 + s * s * r2)) / ((1 - alpha * s) * (1 + alpha * (s * s)))); [|lra].
  apply Rmult_le_pos; [assumption|]. left. apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra.
Qed.

(** the best arm leads: what corruption does to 1/p *)
Lemma reciprocal_best_leads :
  a * (1 + alpha) * (s * s * (x2 / (1 - alpha * s) - x1 / (1 + alpha * (s * s)))) <= c * (2 * a / (1 - alpha)).
Proof.
  clear probabilities.
  assert (Q := ratio_small). assert (Ha := a_positive). assert (Clean := clean_best_leads). assert (Hc : 0 <= c) by lra.
  assert (S2 : 0 <= s * s <= 1) by nra. assert (P : 0 < 1 + alpha * (s * s)) by nra.
  unfold Rdiv in *. set (u := / (1 - alpha * s)) in *. set (v := / (1 + alpha * (s * s))) in *.
  assert (Hu : 0 < u <= / (1 - alpha)) by (split; [apply Rinv_0_lt_compat|apply inv_le]; lra).
  assert (Hv : 0 < v) by (apply Rinv_0_lt_compat; lra).
  assert (U : s * s * u <= 1 * / (1 - alpha)) by (apply Rmult_le_compat; lra).
  assert (W : s * s * v <= / (1 + alpha)).
  { unfold v. apply Rmult_le_reg_r with ((1 + alpha * (s * s)) * (1 + alpha)); [apply Rmult_lt_0_compat; lra|].
    replace (s * s * / (1 + alpha * (s * s)) * ((1 + alpha * (s * s)) * (1 + alpha))) with (s * s * (1 + alpha))
      by (field; lra).
    replace (/ (1 + alpha) * ((1 + alpha * (s * s)) * (1 + alpha))) with (1 + alpha * (s * s)) by (field; lra). lra. }
  replace (c * (2 * a * / (1 - alpha))) with (a * (1 + alpha) * (c * (/ (1 - alpha) + / (1 + alpha)))) by (field; lra).
  apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|].
  apply Rle_trans with (s * s * (c * (u + v))).
  - apply Rmult_le_compat_l; [lra|].
    assert (x2 * u <= (r2 + c) * u) by (apply Rmult_le_compat_r; lra).
    assert ((r1 - c) * v <= x1 * v) by (apply Rmult_le_compat_r; lra). lra.
  - replace (s * s * (c * (u + v))) with (c * (s * s * u + s * s * v)) by ring. apply Rmult_le_compat_l; lra.
Qed.

Lemma best_leads : q = s * p ->
  a * (1 + alpha) * (s * s * (x2 / (1 - alpha * s) - x1 / (1 + alpha * (s * s)))) + q * (x2 - x1) + gap * q <= b * c.
Proof.
  intros E. assert (Rec := reciprocal_best_leads). assert (Hc : 0 <= c) by lra.
  assert (Logs : q * (x2 - x1) <= q * (- gap + 2 * c)) by (apply Rmult_le_compat_l; [lra|]; unfold gap; lra).
  assert (Half : 2 * q <= 1) by (clear - ratio probabilities E; nra).
  assert (c * (2 * q) <= c * 1) by (apply Rmult_le_compat_l; lra).
  rewrite b_is. lra.
Qed.
End Round.

(** ** From the update rule to the play *)
Lemma best_arm : (best < 2)%nat. Proof. lia. Qed.
Lemma other_arm : (other < 2)%nat. Proof. lia. Qed.

Lemma sum_of_two : forall f, sum 2 f = f best + f other.
Proof. intros f. unfold sum; simpl. destruct the_arms as [[E1 E2]|[E1 E2]]; rewrite E1, E2; ring. Qed.

Lemma sum_of_one : forall f, sum 2 (but best f) = f other.
Proof. intros f. rewrite sum_of_two, but_same, but_other; [ring|lia]. Qed.

Lemma sum_of_none : forall f, sum 2 (but other (but best f)) = 0.
Proof. intros f. rewrite sum_of_two, but_same, but_other, but_same; [ring|lia]. Qed.

Let front y := A / y.
Let V := potential 2 best front (/ alpha).

Theorem one_round : forall p m, valid 2 p -> lawful 2 means is_law m ->
  regret 2 best means p m - b * cost m + after 2 (learn 2 alpha) V p m <= V p.
Proof.
  intros p m Hp Hm. assert (Ap := A_positive).
  assert (D := drift 2 best alpha front means best_arm step (reciprocal_below_chords A ltac:(lra)) p Hp m Hm).
  fold V in D. set (mu := fun i => mean_reward (shown m i)) in *.
  change (fun a => p a * mean_reward (shown m a) * gain 2 best alpha front p a)
    with (fun a => p a * mu a * gain 2 best alpha front p a) in D.
  assert (M1 : r1 - cost m <= mu best <= r1 + cost m) by (apply Hm, best_arm).
  assert (M2 : r2 - cost m <= mu other <= r2 + cost m) by (apply Hm, other_arm).
  assert (P1 : 0 < p best) by (apply Hp, best_arm). assert (P2 : 0 < p other) by (apply Hp, other_arm).
  assert (S : p best + p other = 1) by (rewrite <- (proj2 Hp); symmetry; apply sum_of_two).
  assert (Reg : regret 2 best means p m = gap * p other).
  { unfold regret. rewrite sum_of_two. unfold gap, r1, r2. ring. }
  rewrite Reg.
  destruct (Nat.eq_dec (leader 2 p) best) as [E|N].
  - rewrite drift_is in D. unfold front in D.
    rewrite (reciprocal_front_best_leads 2 best alpha A best_arm step p Hp mu E),
      (logs_best_leads 2 best alpha best_arm step p Hp mu E), !sum_of_one, alpha_A in D.
    unfold contest in D. rewrite sum_of_one in D.
    assert (R := ratio_range 2 ltac:(lia) p Hp other other_arm). rewrite E in R.
    set (s := p other / p best) in *.
    assert (T := best_leads (mu best) (mu other) (cost m) (p best) (p other) s M1 M2 R ltac:(lra)
      ltac:(unfold s; field; lra)).
    lra.
  - assert (E : leader 2 p = other) by (assert (L := leader_is_arm 2 ltac:(lia) p); lia).
    rewrite drift_is in D. unfold front in D.
    rewrite (reciprocal_front_wrong_leads 2 best alpha A best_arm step p Hp mu N),
      (logs_wrong_leads 2 best alpha best_arm step p Hp mu N), E, sum_of_none, alpha_A in D.
    assert (R := ratio_range 2 ltac:(lia) p Hp best best_arm). rewrite E in R.
    set (s := p best / p other) in *.
    assert (T := other_leads (mu best) (mu other) (cost m) (p best) (p other) s M1 M2 R ltac:(lra)
      ltac:(unfold s; field; lra)).
    lra.
Qed.

(** expected regret and expected cost of T rounds *)
Definition E_regret (adv : adversary) (T : nat) : R := E_sum 2 (learn 2 alpha) (regret 2 best means) adv T.
Definition E_cost (adv : adversary) (T : nat) : R := E_sum 2 (learn 2 alpha) (fun _ m => cost m) adv T.

Theorem theorem_1 : forall adv T, always_lawful 2 means is_law adv ->
  E_regret adv T <= b * E_cost adv T + A + 1 / alpha * ln (1 + alpha * INR T / (2 * (1 - alpha))).
Proof.
  intros adv T L. assert (Ap := A_positive).
  assert (weight : 0 <= / alpha) by (left; apply Rinv_0_lt_compat; lra).
  assert (F := from_one_round_two 2 best alpha (/ alpha) A front means best_arm step
    (fun y => reciprocal_least A y ltac:(lra)) weight is_law (fun d H => H)
    (fun p m => regret 2 best means p m + - b * cost m) adv T eq_refl L).
  specialize (F ltac:(intros p m Hp Hm; generalize (one_round p m Hp Hm); unfold V; lra)).
  assert (Lin : E_sum 2 (learn 2 alpha) (fun p m => regret 2 best means p m + - b * cost m) adv T =
                E_regret adv T + - b * E_cost adv T).
  { unfold E_regret, E_cost, E_sum. rewrite <- expected_linear. apply expected_same; intros; unfold nought; ring. }
  rewrite Lin in F. replace (front (1 / 2) - A) with A in F by (unfold front; field). unfold Rdiv at 1. lra.
Qed.

(** the same for an adversary that never pays more than C *)
Corollary theorem_1_budget : forall adv T C, always_lawful 2 means is_law adv -> affordable adv C T [] ->
  E_regret adv T <= b * C + A + 1 / alpha * ln (1 + alpha * INR T / (2 * (1 - alpha))).
Proof.
  intros adv T C L B. assert (H := theorem_1 adv T L).
  assert (Paid : E_cost adv T <= C).
  { apply (budget 2 (learn 2 alpha) means is_law (fun d H => H)
      (fun p a x Hp Ha Hx => learn_valid 2 alpha ltac:(lia) step p Hp a x Ha Hx)); auto. apply uniform_valid. lia. }
  assert (R := rho_below_one).
  assert (Pos : 0 <= b).
  { rewrite b_is. assert (Ha := a_positive). assert (0 < 2 * a / (1 - alpha)) by (apply Rdiv_lt_0_compat; lra). lra. }
  apply (Rmult_le_compat_l b) in Paid; lra.
Qed.
End TwoArms.
