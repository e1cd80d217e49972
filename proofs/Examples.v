(** The theorems at numbers: their hypotheses can be met, and what they say is a number. *)
From Coq Require Import Reals Lra Lia List Arith.
Require Import Samba Sums Play Step Drift Bound TwoArms Sharp Gaps ManyArms EveryStep ManyRivals.
Import ListNotations.
Open Scope R_scope.

(** an adversary that shows the truth and pays nothing *)
Definition honest (means : nat -> R) : adversary := fun _ => {| shown := fun a => bernoulli (means a); cost := 0 |}.

Lemma honest_is_lawful : forall arms means, (forall a, (a < arms)%nat -> 0 <= means a <= 1) ->
  always_lawful arms means is_bernoulli (honest means).
Proof.
  intros arms means H h a Ha. split; [exists (means a); auto|]. unfold mean_reward. simpl. lra.
Qed.

Lemma bernoulli_adversary : forall arms means adv, always_lawful arms means is_bernoulli adv ->
  always_lawful arms means is_law adv.
Proof. intros arms means adv L h a Ha. destruct (L h a Ha) as [B M]. split; [apply bernoulli_is_law|]; assumption. Qed.

(** means 0.9 and 0.8, step 0.05 *)
Definition two (a : nat) : R := match a with O => 9 / 10 | _ => 8 / 10 end.

Example two_arms : forall adv T, always_lawful 2 two is_law adv ->
  TwoArms.E_regret 0 two (1 / 20) adv T <=
  257 / 57 * TwoArms.E_cost (1 / 20) adv T + 35 + 20 * ln (1 + INR T / 38).
Proof.
  intros adv T L.
  assert (H := theorem_1 0 1 ltac:(lia) two (1 / 20) ltac:(simpl; lra) ltac:(lra) ltac:(simpl; lra) adv T L).
  replace (TwoArms.b 0 1 two (1 / 20)) with (257 / 57) in H by (unfold TwoArms.b, TwoArms.rho; simpl; field).
  replace (TwoArms.A 0 1 two (1 / 20)) with 35 in H by (unfold TwoArms.A, TwoArms.rho; simpl; field).
  replace (1 + 1 / 20 * INR T / (2 * (1 - 1 / 20))) with (1 + INR T / 38) in H by field.
  replace (1 / (1 / 20)) with 20 in H by field. exact H.
Qed.

Lemma honest_pays_nothing : forall means T h, affordable (honest means) 0 T h.
Proof. intros means T. induction T as [|n IH]; intros h; simpl; [lra|]. intros. rewrite Rminus_0_r. apply IH. Qed.

Example two_arms_clean : forall T, TwoArms.E_regret 0 two (1 / 20) (honest two) T <= 35 + 20 * ln (1 + INR T / 38).
Proof.
  intros T. assert (L : always_lawful 2 two is_law (honest two)).
  { apply bernoulli_adversary, honest_is_lawful. intros [|[|a]] Ha; simpl; try lra; lia. }
  assert (H := two_arms (honest two) T L).
  assert (Z := budget 2 (Step.learn 2 (1 / 20)) two is_law (fun d H => H)
    (fun p a x Hp Ha Hx => learn_valid 2 (1 / 20) ltac:(lia) ltac:(lra) p Hp a x Ha Hx)
    (honest two) L T [] (uniform 2) 0 (uniform_valid 2 ltac:(lia)) (honest_pays_nothing two T [])).
  fold (E_sum 2 (Step.learn 2 (1 / 20)) (fun _ m => cost m) (honest two) T) in Z.
  fold (TwoArms.E_cost (1 / 20) (honest two) T) in Z. lra.
Qed.

(** an adversary that spends: it exchanges the two means in each of the first n rounds, for 1/10 a round *)
Definition exchange_for (n : nat) : adversary := fun h =>
  if (length h <? n)%nat
  then {| shown := fun a => bernoulli (match a with O => 8 / 10 | _ => 9 / 10 end); cost := 1 / 10 |}
  else honest two h.

Lemma exchange_for_is_lawful : forall n, always_lawful 2 two is_law (exchange_for n).
Proof.
  intros n. apply bernoulli_adversary. intros h a Ha. unfold exchange_for. destruct (length h <? n)%nat.
  - split; [exists (match a with O => 8 / 10 | _ => 9 / 10 end); split; [destruct a; lra|reflexivity]|].
    unfold mean_reward. destruct a as [|[|a]]; simpl; try lra; lia.
  - refine (honest_is_lawful 2 two _ h a Ha). intros [|[|b]] Hb; simpl; try lra; lia.
Qed.

Lemma exchange_for_pays : forall n T h p, valid 2 p ->
  expected 2 (Step.learn 2 (1 / 20)) (fun _ m => cost m) nought (exchange_for n) T h p =
  INR (Nat.min T (n - length h)) / 10.
Proof.
  intros n. induction T as [|T IH]; intros h p Hp; [simpl; unfold nought; field|]. cbn [expected].
  rewrite (sum_ext 2 _ (fun a => INR (Nat.min T (n - S (length h))) / 10 * p a)).
  - rewrite sum_scale, (proj2 Hp). unfold exchange_for. destruct (Nat.ltb_spec (length h) n) as [H|H]; simpl cost.
    + replace (n - length h)%nat with (S (n - S (length h))) by lia. rewrite <- Nat.succ_min_distr, S_INR. field.
    + replace (n - length h)%nat with 0%nat by lia. replace (n - S (length h))%nat with 0%nat by lia.
      rewrite !Nat.min_0_r. simpl. field.
  - intros a Ha. assert (D : is_law (shown (exchange_for n h) a)) by (apply exchange_for_is_lawful, Ha).
    rewrite (mean_eq _ (fun _ => INR (Nat.min T (n - S (length h))) / 10) _ D), mean_const; [ring|exact D|].
    intros x Hx. rewrite IH; [reflexivity|]. apply learn_valid; auto; lra.
Qed.

(** for 600 rounds it pays 60, not a hair less, and the theorem bounds what that does *)
Example two_arms_struck : forall T, (600 <= T)%nat ->
  TwoArms.E_cost (1 / 20) (exchange_for 600) T = 60 /\
  TwoArms.E_regret 0 two (1 / 20) (exchange_for 600) T <= 257 / 57 * 60 + 35 + 20 * ln (1 + INR T / 38).
Proof.
  intros T HT. assert (C : TwoArms.E_cost (1 / 20) (exchange_for 600) T = 60).
  { unfold TwoArms.E_cost, E_sum. rewrite exchange_for_pays; [|apply uniform_valid; lia].
    rewrite Nat.sub_0_r, Nat.min_r; [|exact HT]. rewrite INR_IZR_INZ. simpl. field. }
  split; [exact C|]. rewrite <- C. apply two_arms, exchange_for_is_lawful.
Qed.

(** the same game with Bernoulli rewards meets the condition of the sharp theorem *)
Example two_arms_sharp : forall adv T, always_lawful 2 two is_bernoulli adv ->
  TwoArms.E_regret 0 two (1 / 20) adv T <=
  b' 0 1 two (1 / 20) * TwoArms.E_cost (1 / 20) adv T + 35 + lambda 0 1 two (1 / 20) * 20 * ln (1 + INR T / 38).
Proof.
  intros adv T L.
  assert (Er : TwoArms.rho 0 1 two (1 / 20) = 2 / 5) by (unfold TwoArms.rho; simpl; field).
  assert (Ln : 1 / 21 <= ln (1 + 1 / 20)).
  { assert (H := ln_tangent (/ (1 + 1 / 20)) 1 ltac:(lra) ltac:(lra)). rewrite ln_Rinv, ln_1 in H; lra. }
  assert (Lm : 1 / 2 <= lambda 0 1 two (1 / 20)).
  { assert (U : ln (1 + 1 / 20) <= 1 / 20) by (apply ln_below; lra). unfold lambda. simpl.
    apply Rmult_le_reg_r with (1 / 20 * (9 / 10) - 8 / 10 * ln (1 + 1 / 20)); [lra|].
    match goal with |- _ <= ?n / ?d * ?d => replace (n / d * d) with n by (field; lra) end. lra. }
  assert (H := theorem_1_sharp 0 1 ltac:(lia) two (1 / 20) ltac:(simpl; lra) ltac:(lra) ltac:(simpl; lra)
    ltac:(rewrite Er; lra) adv T L).
  replace (TwoArms.A 0 1 two (1 / 20)) with 35 in H by (unfold TwoArms.A; rewrite Er; field).
  replace (1 + 1 / 20 * INR T / (2 * (1 - 1 / 20))) with (1 + INR T / 38) in H by field.
  replace (lambda 0 1 two (1 / 20) / (1 / 20)) with (lambda 0 1 two (1 / 20) * 20) in H by field. exact H.
Qed.

(** the nine arms 0.9, 0.8, ..., 0.1 at the largest step the theorem allows, 1/73 *)
Definition nine (a : nat) : R := (9 - INR a) / 10.

Lemma nine_0 : nine 0 = 9 / 10.
Proof. unfold nine. simpl. field. Qed.

Lemma nine_others : forall i, (i < 9)%nat -> i <> 0%nat -> 0 <= nine i <= 8 / 10 /\ nine 0 - nine i <= 8 / 10.
Proof.
  intros i Hi N. rewrite nine_0. unfold nine.
  assert (INR i <= 8) by (replace 8 with (INR 8) by (simpl; ring); apply le_INR; lia).
  assert (1 <= INR i) by (replace 1 with (INR 1) by (simpl; ring); apply le_INR; lia). lra.
Qed.

Example nine_arms : forall adv T, always_lawful 9 nine is_law adv ->
  ManyArms.E_regret 9 0 nine (1 / 73) adv T <=
  11752 / 511 * ManyArms.E_cost_calm 9 0 (1 / 73) adv T + 86862 / 511 * ManyArms.E_cost_contested 9 0 (1 / 73) adv T +
  8 * (5328 / 7) + 584 * ln ((657 + INR T) / 648).
Proof.
  intros adv T L. assert (N9 : INR 9 = 9) by (simpl; ring).
  assert (H := theorem_3 9 0 nine (1 / 73) (8 / 10) (8 / 10) ltac:(lia) ltac:(lia) nine_others
    ltac:(rewrite nine_0; lra) ltac:(lra)
    ltac:(rewrite nine_0, N9; lra) adv T L).
  assert (Ea : ManyArms.a 0 nine (1 / 73) (8 / 10) (8 / 10) = 72 / 7)
    by (unfold ManyArms.a, spread, rho'; rewrite nine_0; field).
  unfold b_1, b_K, ManyArms.b, ManyArms.A in H. rewrite Ea, N9 in H.
  replace ((1 + 1 / 73 * INR T / 9) / (1 - 1 / 73)) with ((657 + INR T) / 648) in H by field.
  lra.
Qed.

(** the same nine arms at the step of the paper, 1/20: the constants are large, but they are constants *)
Example nine_arms_every_step : forall adv T, always_lawful 9 nine is_law adv ->
  EveryStep.E_regret 9 0 nine (1 / 20) adv T <=
  2783 * EveryStep.E_cost 9 (1 / 20) adv T + 93933 + 160 * ln ((180 + INR T) / 171).
Proof.
  intros adv T L. assert (N9 : INR 9 = 9) by (simpl; ring).
  assert (H := theorem_4 9 0 nine (1 / 20) (8 / 10) (8 / 10) ltac:(lia) ltac:(lia) nine_others ltac:(lra)
    ltac:(rewrite nine_0; lra)
    ltac:(lra) ltac:(rewrite nine_0; lra) adv T L).
  assert (Er : EveryStep.rho 0 nine (1 / 20) (8 / 10) = 2 / 5) by (unfold EveryStep.rho; rewrite nine_0; field).
  assert (Em : room 0 nine (1 / 20) (8 / 10) = 1 / 28) by (unfold room; rewrite Er, nine_0; field).
  assert (Es : s_bar 0 nine (1 / 20) (8 / 10) = 20 / 29).
  { unfold s_bar. rewrite Em. replace (1 / 28 / (1 / 20 * (1 + 1 / 28))) with (20 / 29) by field. apply Rmin_right.
    lra. }
  assert (Et : theta 9 0 nine (1 / 20) (8 / 10) = 19 / 261) by (unfold theta; rewrite Es, N9; field).
  assert (EA : EveryStep.A 0 nine (1 / 20) (8 / 10) (8 / 10) = 560)
    by (unfold EveryStep.A, spread; rewrite Er, nine_0; field).
  assert (Eb : EveryStep.b 9 0 nine (1 / 20) (8 / 10) (8 / 10) <= 2783) by (unfold EveryStep.b; rewrite EA, Et; lra).
  rewrite EA, Et, N9 in H.
  assert (C : 0 <= EveryStep.E_cost 9 (1 / 20) adv T).
  { assert (V0 := expected_const 9 (learn 9 (1 / 20)) nine is_law (fun d H => H)
      (fun p a x Hp Ha Hx => learn_valid 9 (1 / 20) ltac:(lia)
        ltac:(lra) p Hp a x Ha Hx) 0 adv L T [] (uniform 9) (uniform_valid 9 ltac:(lia))).
    rewrite <- V0. apply (expected_le 9 (learn 9 (1 / 20)) nine is_law (fun d H => H)
      (fun p a x Hp Ha Hx => learn_valid 9 (1 / 20) ltac:(lia) ltac:(lra) p Hp a x Ha Hx)); auto.
    - intros p m _ Hm. apply (cost_nonneg 9 0 nine ltac:(lia) m Hm).
    - intros. unfold nought. lra.
    - apply uniform_valid. lia. }
  apply (Rmult_le_compat_r _ _ _ C) in Eb.
  replace ((1 + 1 / 20 * INR T / 9) / (1 - 1 / 20)) with ((180 + INR T) / 171) in H by field.
  lra.
Qed.

(** means 0.9 and 23 times 0.5 at the step 1/10000: any bound o(T) + b C has b >= 9.8, and Theorem 3 has b < 49 *)
Example many_rivals : 98 / 10 <= ManyRivals.u 24 (1 / 10000) (9 / 10) (5 / 10) /
    (2 * ManyRivals.v 24 (1 / 10000) (9 / 10) (5 / 10)) /\
  b_K 24 0 (true_mean 0 (9 / 10) (5 / 10)) (1 / 10000) (5 / 10) (4 / 10) < 49.
Proof.
  assert (E : INR 24 = 24) by (rewrite INR_IZR_INZ; reflexivity). split.
  - assert (H := order_of_K 24 (1 / 10000) (9 / 10) (5 / 10) ltac:(lia) ltac:(lra) ltac:(lra)). rewrite E in H. lra.
  - unfold b_K, ManyArms.b, ManyArms.a, spread, rho', true_mean. rewrite E. simpl. lra.
Qed.
