(** From an inequality about one round to a bound on the expected regret of T rounds, from equal probabilities. *)
From Coq Require Import Reals Lra Lia Psatz Arith List.
Require Import Samba Sums Play Step Drift Tail.
Import ListNotations.
Open Scope R_scope.

(** expected regret in a round: sum of gap(a) * p(a) *)
Definition regret (arms best : nat) (means : nat -> R) (p : nat -> R) (m : move) : R :=
  sum arms (fun a => (means best - means a) * p a).

Lemma reciprocal_least : forall A y, 0 <= A -> 0 < y <= 1 -> A <= A / y.
Proof.
  intros A y HA Hy. apply Rmult_le_reg_r with y; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; nra.
Qed.

Section Bound.
Variable arms best : nat.
Variable alpha w f_end : R.
Variable f : R -> R.
Variable means : nat -> R.
Hypothesis best_arm : (best < arms)%nat.
Hypothesis step : 0 < alpha < 1.
Hypothesis f_least : forall y, 0 < y <= 1 -> f_end <= f y.  (* f on a probability is at least f_end *)
Hypothesis w_nonneg : 0 <= w.
Variable possible : law -> Prop.  (* the laws the adversary may show *)
Hypothesis possible_is_law : forall d, possible d -> is_law d.

Let some_arms : (0 < arms)%nat. Proof. lia. Qed.
Let learn := learn arms alpha.
Let keeps p a x (H : valid arms p) Ha Hx : valid arms (learn p a x) :=
  learn_valid arms alpha some_arms step p H a x Ha Hx.
Let V := potential arms best f w.

Lemma E_end_sum : forall (g : nat -> (nat -> R) -> R) adv T h p n,
  expected arms learn nothing (fun p => sum n (fun i => g i p)) adv T h p =
  sum n (fun i => expected arms learn nothing (g i) adv T h p).
Proof.
  intros g adv T h p. induction n as [|n IH].
  - rewrite (expected_same arms learn _ (fun q m => nothing q m + -1 * nothing q m) _
      (fun q => nought q + -1 * nought q)).
    + rewrite expected_linear. change (sum 0 _) with 0. ring.
    + intros. unfold nothing. ring.
    + intros. unfold nought. change (sum 0 _) with 0. ring.
  - rewrite sum_S, <- IH, <- (Rmult_1_l (expected arms learn nothing (g n) adv T h p)), <- expected_linear.
    apply expected_same; intros; [unfold nothing; ring|]. rewrite sum_S. ring.
Qed.

Lemma probability_below_one : forall p i, valid arms p -> (i < arms)%nat -> p i <= 1.
Proof.
  intros p i Hp Hi. assert (S := proj2 Hp). rewrite (sum_out arms p i Hi) in S.
  assert (0 <= sum arms (but i p)) by (apply but_nonneg; intros a Ha _; left; apply Hp, Ha). lra.
Qed.

Lemma V_uniform : V (uniform arms) = f (/ INR arms) - (INR arms - 1) * w * ln (INR arms).
Proof.
  assert (K : 0 < INR arms) by (apply lt_0_INR, some_arms). unfold V, potential, uniform.
  rewrite but_const; [|assumption]. rewrite ln_Rinv; [|assumption]. ring.
Qed.

Theorem from_one_round : forall (g : (nat -> R) -> move -> R) adv T tail,
  always_lawful arms means possible adv ->
  (forall p m, valid arms p -> lawful arms means possible m -> g p m + after arms learn V p m <= V p) ->
  (forall i, (i < arms)%nat -> - ln tail <= E_end arms learn (fun p => ln (p i)) adv T) ->
  E_sum arms learn g adv T <= f (/ INR arms) - f_end + (INR arms - 1) * w * (ln tail - ln (INR arms)).
Proof.
  intros g adv T tail L One Tail. assert (U := uniform_valid arms some_arms).
  assert (C := certificate arms learn means possible possible_is_law keeps g V 0
    ltac:(intros p m Hp Hm; rewrite Rplus_0_r; apply One; assumption) adv L T [] (uniform arms) U).
  rewrite Rmult_0_r, Rplus_0_r, expected_split in C. fold (E_sum arms learn g adv T) in C.
  (* at the end: f is at least f_end, and the logarithms are bounded by the tail *)
  assert (End : f_end + w * ((INR arms - 1) * - ln tail) <= expected arms learn nothing V adv T [] (uniform arms)).
  { apply Rle_trans with (expected arms learn (fun p m => nothing p m + w * nothing p m)
      (fun p => f_end + w * sum arms (fun i => but best (fun a => ln (p a)) i)) adv T [] (uniform arms)).
    - rewrite expected_linear, (expected_const arms learn means possible possible_is_law keeps f_end adv L T [] _ U),
        E_end_sum.
      apply Rplus_le_compat_l, Rmult_le_compat_l; [assumption|].
      rewrite <- (but_const arms best _ best_arm). apply sum_le. intros i Hi. unfold but at 1.
      destruct (Nat.eqb_spec i best) as [E|E].
      + right. symmetry.
        rewrite (expected_same arms learn nothing nothing _ (fun _ => 0)); [|reflexivity|].
        * apply (expected_const arms learn means possible possible_is_law keeps 0 adv L T [] _ U).
        * intros p. rewrite E. apply but_same.
      + apply Rle_trans with (E_end arms learn (fun p => ln (p i)) adv T); [apply Tail, Hi|].
        right. apply expected_same; [reflexivity|]. intros p. symmetry. apply (but_other best (fun a => ln (p a))).
        assumption.
    - apply (expected_le arms learn means possible possible_is_law keeps); auto.
      + intros. unfold nothing. lra.
      + intros p Hp. unfold V, potential. apply Rplus_le_compat_r.
        assert (Pb : 0 < p best) by (apply Hp, best_arm). assert (P1 := probability_below_one p best Hp best_arm).
        apply f_least. lra. }
  rewrite V_uniform in C.
  lra.
Qed.

(** with the tail of any number of arms, and with the sharper one of two *)
Corollary from_one_round_any : forall (g : (nat -> R) -> move -> R) adv T,
  always_lawful arms means possible adv ->
  (forall p m, valid arms p -> lawful arms means possible m -> g p m + after arms learn V p m <= V p) ->
  E_sum arms learn g adv T <= f (/ INR arms) - f_end +
    (INR arms - 1) * w * ln ((1 + alpha * INR T / INR arms) / (1 - alpha)).
Proof.
  intros g adv T L One. assert (K : 0 < INR arms) by (apply lt_0_INR, some_arms).
  assert (N : 0 <= INR T) by apply pos_INR.
  assert (Gr : 0 < alpha / (1 - alpha)) by (apply Rdiv_lt_0_compat; lra).
  assert (Floor : INR arms <= INR arms / (1 - alpha)).
  { apply Rmult_le_reg_r with (1 - alpha); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; nra. }
  assert (F := from_one_round g adv T (INR arms / (1 - alpha) + INR T * (alpha / (1 - alpha))) L One).
  specialize (F ltac:(intros i Hi; apply log_tail with (means := means) (possible := possible); auto;
    intros p m Hp Hm; apply inverse_one_round with (means := means) (possible := possible); auto)).
  rewrite <- ln_quotient in F; [|nra|lra].
  replace ((1 + alpha * INR T / INR arms) / (1 - alpha))
    with ((INR arms / (1 - alpha) + INR T * (alpha / (1 - alpha))) / INR arms) by (field; lra).
  exact F.
Qed.

Corollary from_one_round_two : forall (g : (nat -> R) -> move -> R) adv T, arms = 2%nat ->
  always_lawful arms means possible adv ->
  (forall p m, valid arms p -> lawful arms means possible m -> g p m + after arms learn V p m <= V p) ->
  E_sum arms learn g adv T <= f (1 / 2) - f_end + w * ln (1 + alpha * INR T / (2 * (1 - alpha))).
Proof.
  intros g adv T Two L One. assert (N : 0 <= INR T) by apply pos_INR.
  assert (E : INR arms = 2) by (rewrite Two; simpl; ring).
  assert (Gr : 0 < alpha / (1 - alpha)) by (apply Rdiv_lt_0_compat; lra).
  assert (F := from_one_round g adv T (2 + INR T * (alpha / (1 - alpha))) L One).
  specialize (F ltac:(intros i Hi; apply log_tail with (means := means) (possible := possible); auto; [lra|];
    intros p m Hp Hm; apply inverse_one_round_two_arms with (means := means) (possible := possible); auto)).
  rewrite E, <- ln_quotient in F; [|nra|lra].
  replace (1 + alpha * INR T / (2 * (1 - alpha))) with ((2 + INR T * (alpha / (1 - alpha))) / 2) by (field; lra).
  replace (1 / 2) with (/ 2) by field. lra.
Qed.
End Bound.
