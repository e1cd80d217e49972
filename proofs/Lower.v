(** A lower bound: an adversary that shows all arms alike, half way between the best and the worst mean, keeps the
    probabilities where they are in mean. The regret it causes is then a fixed multiple of what it pays, for every step
    and every T; with two arms the multiple is one. *)
From Coq Require Import Reals Lra Lia Psatz Arith List.
Require Import Samba Sums Play Step Drift Tail Bound.
Import ListNotations.
Open Scope R_scope.

Section Lower.
Variables arms best worst : nat.
Variable means : nat -> R.
Variable alpha : R.
Hypothesis best_arm : (best < arms)%nat.
Hypothesis worst_arm : (worst < arms)%nat.
Hypothesis between : forall i, (i < arms)%nat -> means worst <= means i <= means best.
Hypothesis rewards : 0 <= means worst /\ means best <= 1.
Hypothesis step : 0 < alpha < 1.

Let some_arms : (0 < arms)%nat. Proof. lia. Qed.
Let gap_max := means best - means worst.
Let learn := learn arms alpha.

Definition alike : adversary := fun _ =>
  {| shown := fun _ => bernoulli ((means best + means worst) / 2); cost := gap_max / 2 |}.

Lemma alike_is_lawful : always_lawful arms means is_bernoulli alike.
Proof.
  intros h a Ha. assert (B := between a Ha). split.
  - exists ((means best + means worst) / 2). split; [lra|reflexivity].
  - unfold alike, mean_reward, gap_max. simpl. lra.
Qed.

(** shown alike, no probability moves in mean, leader or not *)
Lemma no_shift : forall p x i, valid arms p -> (i < arms)%nat ->
  sum arms (fun a => p a * x * shift arms alpha p (leader arms p) a i) = 0.
Proof.
  intros p x i Hp Hi. destruct (Nat.eq_dec i (leader arms p)) as [E|N].
  - rewrite E, (mean_shift_leader arms alpha some_arms p Hp (fun _ => x)). apply but_zero. intros. ring.
  - rewrite (mean_shift_challenger arms alpha some_arms p Hp (fun _ => x) i Hi N). ring.
Qed.

Lemma regret_stays : forall p h, valid arms p ->
  after arms learn (fun q => regret arms best means q (alike h)) p (alike h) = regret arms best means p (alike h).
Proof.
  intros p h Hp. unfold after, regret. set (x := (means best + means worst) / 2).
  assert (One : forall a, (a < arms)%nat ->
    mean (fun y => sum arms (fun i => (means best - means i) * learn p a y i)) (shown (alike h) a) =
    sum arms (fun i => (means best - means i) * p i) +
    x * sum arms (fun i => (means best - means i) * shift arms alpha p (leader arms p) a i)).
  { intros a Ha.
    assert (Line : forall y, sum arms (fun i => (means best - means i) * learn p a y i) =
      sum arms (fun i => (means best - means i) * p i) +
      y * sum arms (fun i => (means best - means i) * shift arms alpha p (leader arms p) a i)).
    { intros y. rewrite <- sum_scale, <- sum_plus. apply sum_ext. intros i Hi. unfold learn.
      rewrite (learn_line arms alpha some_arms p Hp a y i Ha Hi). ring. }
    simpl. fold x. rewrite !Line. ring. }
  rewrite (sum_ext arms _ (fun a => sum arms (fun i => (means best - means i) * p i) * p a +
    sum arms (fun i => (means best - means i) * (p a * x * shift arms alpha p (leader arms p) a i)))).
  - rewrite sum_plus, sum_scale, (proj2 Hp), sum_swap, (sum_zero arms (fun i => sum arms _)); [ring|].
    intros i Hi. rewrite sum_scale, no_shift; auto. ring.
  - intros a Ha. rewrite (One a Ha).
    rewrite (sum_ext arms (fun i => (means best - means i) * (p a * x * shift arms alpha p (leader arms p) a i))
      (fun i => p a * x * ((means best - means i) * shift arms alpha p (leader arms p) a i))); [|intros; ring].
    rewrite sum_scale. ring.
Qed.

Lemma regret_of_alike : forall T h p, valid arms p ->
  expected arms learn (regret arms best means) nought alike T h p = INR T * regret arms best means p (alike h).
Proof.
  induction T as [|n IH]; intros h p Hp; [simpl; unfold nought; ring|]. rewrite S_INR. cbn [expected].
  rewrite (sum_ext arms _ (fun a => INR n * (p a * mean
    (fun x => regret arms best means (learn p a x) (alike h)) (shown (alike h) a)))).
  - rewrite sum_scale. assert (S := regret_stays p h Hp). unfold after in S. rewrite S. ring.
  - intros a Ha.
    rewrite (mean_eq _ (fun x => INR n * regret arms best means (learn p a x) (alike h))).
    + rewrite mean_scale. ring.
    + apply bernoulli_is_law, (alike_is_lawful h). exact Ha.
    + intros x Hx. rewrite IH; [reflexivity|]. apply learn_valid; auto.
Qed.

Lemma cost_of_alike : forall T h p, valid arms p ->
  expected arms learn (fun _ m => cost m) nought alike T h p = INR T * (gap_max / 2).
Proof.
  induction T as [|n IH]; intros h p Hp; [simpl; unfold nought; ring|]. rewrite S_INR. cbn [expected].
  rewrite (sum_ext arms _ (fun a => INR n * (gap_max / 2) * p a)).
  - rewrite sum_scale, (proj2 Hp). simpl. ring.
  - intros a Ha. rewrite (mean_eq _ (fun _ => INR n * (gap_max / 2))).
    + rewrite mean_const; [ring|]. apply bernoulli_is_law, (alike_is_lawful h). exact Ha.
    + apply bernoulli_is_law, (alike_is_lawful h). exact Ha.
    + intros x Hx. apply IH, learn_valid; auto.
Qed.

(** regret per unit paid: twice the mean gap over the largest *)
Theorem lower_bound : forall T,
  E_sum arms learn (regret arms best means) alike T * (gap_max / 2) =
  / INR arms * sum arms (fun a => means best - means a) * E_sum arms learn (fun _ m => cost m) alike T.
Proof.
  intros T. assert (U := uniform_valid arms some_arms). unfold E_sum.
  rewrite (regret_of_alike T [] _ U), (cost_of_alike T [] _ U).
  assert (R : regret arms best means (uniform arms) (alike []) = / INR arms * sum arms (fun a => means best - means a)).
  { unfold regret, uniform. rewrite <- sum_scale. apply sum_ext. intros. ring. }
  rewrite R. ring.
Qed.
End Lower.

(** two arms: the regret is what is paid, so no bound f(T) + b C with f(T) = o(T) has b < 1 *)
Theorem lower_bound_two_arms : forall means alpha T, 0 <= means 1%nat < means 0%nat -> means 0%nat <= 1 ->
  0 < alpha < 1 ->
  let adv := alike 0 1 means in
  always_lawful 2 means is_bernoulli adv /\
  E_sum 2 (learn 2 alpha) (fun _ m => cost m) adv T = INR T * ((means 0%nat - means 1%nat) / 2) /\
  E_sum 2 (learn 2 alpha) (regret 2 0 means) adv T = E_sum 2 (learn 2 alpha) (fun _ m => cost m) adv T.
Proof.
  intros means alpha T H0 H1 Ha adv.
  assert (B : forall i, (i < 2)%nat -> means 1%nat <= means i <= means 0%nat).
  { intros [|[|i]] Hi; [lra|lra|lia]. }
  assert (L : always_lawful 2 means is_bernoulli adv) by (apply alike_is_lawful; [exact B|lra]).
  assert (C : E_sum 2 (learn 2 alpha) (fun _ m => cost m) adv T = INR T * ((means 0%nat - means 1%nat) / 2)).
  { apply cost_of_alike; auto; try lia; [lra|]. apply uniform_valid. lia. }
  split; [exact L|]. split; [exact C|].
  assert (E := lower_bound 2 0 1 means alpha ltac:(lia) ltac:(lia) B ltac:(lra) Ha T). fold adv in E.
  replace (/ INR 2 * sum 2 (fun a => means 0%nat - means a)) with ((means 0%nat - means 1%nat) / 2) in E
    by (unfold sum; simpl; field).
  apply Rmult_eq_reg_r with ((means 0%nat - means 1%nat) / 2); [|lra]. rewrite E. ring.
Qed.
