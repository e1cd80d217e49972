(** How small a probability can become in T rounds. *)
From Coq Require Import Reals Lra Lia Psatz Arith List.
Require Import Samba Sums Play Step Drift.
Import ListNotations.
Open Scope R_scope.

Lemma part_le : forall x s, 0 <= x -> s <= 1 -> x * s <= x.
Proof. intros x s Hx Hs. rewrite <- (Rmult_1_r x) at 2. apply Rmult_le_compat_l; assumption. Qed.

Lemma inv_le : forall x y, 0 < x -> x <= y -> / y <= / x.
Proof. intros. apply Rinv_le_contravar; assumption. Qed.

Section Tail.
Variable arms : nat.
Variable alpha : R.
Variable means : nat -> R.
Hypothesis some_arms : (0 < arms)%nat.
Hypothesis step : 0 < alpha < 1.
Variable possible : law -> Prop.  (* the laws the adversary may show *)
Hypothesis possible_is_law : forall d, possible d -> is_law d.

Let grow := alpha / (1 - alpha).
Let learn := learn arms alpha.
Let lawful := lawful arms means possible.
Let keeps p a x (H : valid arms p) Ha Hx : valid arms (learn p a x) :=
  learn_valid arms alpha some_arms step p H a x Ha Hx.

Lemma grow_positive : 0 < grow.
Proof. unfold grow. apply Rdiv_lt_0_compat; lra. Qed.

(** 1/p(i), but never counted below [floor] *)
Definition inverse (i : nat) (floor : R) (p : nat -> R) : R := Rmax (/ p i) floor.

Lemma inverse_grows : forall i floor p q e, 0 <= e -> / q i <= / p i + e -> inverse i floor q <= inverse i floor p + e.
Proof.
  intros i floor p q e He H. unfold inverse.
  assert (/ p i <= Rmax (/ p i) floor) by apply Rmax_l. assert (floor <= Rmax (/ p i) floor) by apply Rmax_r.
  apply Rmax_lub; lra.
Qed.

(** growth bounded arm by arm is bounded in expectation *)
Lemma after_grows : forall f e p m, valid arms p -> lawful m -> (forall a, (a < arms)%nat -> 0 <= e a) ->
  (forall a x, (a < arms)%nat -> 0 <= x <= 1 -> f (learn p a x) <= f p + e a) ->
  after arms learn f p m <= f p + sum arms (fun a => p a * e a).
Proof.
  intros f e p m Hp Hm He H. unfold after.
  apply Rle_trans with (sum arms (fun a => f p * p a + p a * e a)).
  - apply sum_le. intros a Ha. assert (0 < p a) by (apply Hp, Ha). destruct (Hm a Ha) as [L _].
    apply possible_is_law in L.
    assert (M : mean (fun x => f (learn p a x)) (shown m a) <= f p + e a).
    { rewrite <- (mean_const (f p + e a) _ L). apply mean_le; auto. }
    apply (Rmult_le_compat_l (p a)) in M; lra.
  - rewrite sum_plus, sum_scale, (proj2 Hp). lra.
Qed.

(** an arm that does not lead: 1/p(i) grows by at most alpha / (1 - alpha) in mean *)
Lemma challenger_shrinks_slowly : forall i floor p m, (i < arms)%nat -> valid arms p -> lawful m ->
  i <> leader arms p ->
  after arms learn (inverse i floor) p m <= inverse i floor p + grow.
Proof.
  intros i floor p m Hi Hp Hm N. set (l := leader arms p) in *. assert (Hg := grow_positive).
  assert (l_arm : (l < arms)%nat) by apply leader_is_arm, some_arms.
  assert (Pl : 0 < p l) by (apply Hp, l_arm). assert (Pi : 0 < p i) by (apply Hp, Hi).
  assert (Lead : p i <= p l) by (apply leader_leads; assumption).
  assert (El := proj2 (Nat.eqb_neq i l) N).
  set (e := fun a => if a =? l then grow / p l else 0).
  assert (E : sum arms (fun a => p a * e a) = grow).
  { rewrite (sum_out arms _ l l_arm), but_zero.
    - unfold e. rewrite Nat.eqb_refl. field. lra.
    - intros a _ Na. unfold e. rewrite (proj2 (Nat.eqb_neq a l) Na). ring. }
  rewrite <- E. apply after_grows; auto.
  - intros a _. unfold e. destruct (a =? l); [|lra]. left. apply Rdiv_lt_0_compat; lra.
  - intros a x Ha Hx. apply inverse_grows.
    { unfold e. destruct (a =? l); [|lra]. left. apply Rdiv_lt_0_compat; lra. }
    unfold learn. rewrite (learn_line arms alpha some_arms p Hp a x i Ha Hi). fold l.
    unfold e, shift. rewrite El. destruct (Nat.eqb_spec a l) as [F|F].
    + set (d := - (alpha * (p i / p l) * p i)).
      assert (D : p i + d = p i * (p l - alpha * p i) / p l) by (unfold d; field; lra).
      assert (P2 : 0 < p l - alpha * p i) by nra.
      assert (Pd : 0 < p i + d).
      { rewrite D. apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|lra]. }
      assert (C := reciprocal_below_chords 1 Rle_0_1 (p i) d x Pi Pd Hx). cbv beta in C. unfold Rdiv in C.
      rewrite !Rmult_1_l in C.
      assert (J : / (p i + d) - / p i = alpha / (p l - alpha * p i)) by (rewrite D; field; repeat split; lra).
      rewrite J in C.
      assert (K : alpha / (p l - alpha * p i) <= grow / p l).
      { replace (grow / p l) with (alpha / (p l * (1 - alpha))) by (unfold grow; field; lra).
        unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply inv_le; nra. }
      assert (0 <= alpha / (p l - alpha * p i)) by (left; apply Rdiv_lt_0_compat; lra).
      nra.
    + rewrite Rplus_0_r. apply inv_le; [lra|].
      assert (0 <= x * (alpha * p i)) by (repeat apply Rmult_le_pos; lra). destruct (a =? i); lra.
Qed.

(** one pull takes no more than the share alpha *)
Lemma inverse_after : forall i p a x, (i < arms)%nat -> (a < arms)%nat -> 0 <= x <= 1 -> valid arms p ->
  / learn p a x i <= / p i / (1 - alpha).
Proof.
  intros i p a x Hi Ha Hx Hp. assert (Pi : 0 < p i) by (apply Hp, Hi).
  assert (B := shift_bounded arms alpha some_arms step p Hp a i Ha Hi).
  unfold learn. rewrite (learn_line arms alpha some_arms p Hp a x i Ha Hi).
  set (d := shift arms alpha p (leader arms p) a i) in *.
  replace (/ p i / (1 - alpha)) with (/ (p i * (1 - alpha))) by (field; lra).
  assert (0 <= alpha * p i) by nra.
  apply inv_le; [apply Rmult_lt_0_compat; lra|]. nra.
Qed.

Lemma leader_large : forall p, valid arms p -> / p (leader arms p) <= INR arms.
Proof.
  intros p Hp. set (l := leader arms p). assert (Pl : 0 < p l) by (apply Hp, leader_is_arm, some_arms).
  assert (S : 1 <= INR arms * p l).
  { rewrite <- (proj2 Hp), <- sum_const. apply sum_le. intros a Ha. apply leader_leads; assumption. }
  apply Rmult_le_reg_r with (p l); [assumption|]. rewrite Rinv_l; lra.
Qed.

(** with the floor K / (1 - alpha) the leader, too, keeps within the growth *)
Lemma inverse_one_round : forall i p m, (i < arms)%nat -> valid arms p -> lawful m ->
  after arms learn (inverse i (INR arms / (1 - alpha))) p m <= inverse i (INR arms / (1 - alpha)) p + grow.
Proof.
  intros i p m Hi Hp Hm. assert (Hg := grow_positive).
  destruct (Nat.eq_dec i (leader arms p)) as [E|N]; [|apply challenger_shrinks_slowly; assumption].
  apply Rle_trans with (inverse i (INR arms / (1 - alpha)) p + sum arms (fun a => p a * 0)).
  - apply after_grows with (e := fun _ => 0); auto; [intros; lra|].
    intros a x Ha Hx. rewrite Rplus_0_r. unfold inverse.
    apply Rle_trans with (INR arms / (1 - alpha)); [|apply Rmax_r]. apply Rmax_lub; [|lra].
    apply Rle_trans with (/ p i / (1 - alpha)); [apply inverse_after; assumption|].
    assert (LL := leader_large p Hp). rewrite <- E in LL.
    unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|assumption].
  - rewrite sum_zero; [lra|]. intros; ring.
Qed.

(** the same with two arms and the floor 2 *)
Lemma inverse_one_round_two_arms : forall i p m, arms = 2%nat -> (i < arms)%nat -> valid arms p -> lawful m ->
  after arms learn (inverse i 2) p m <= inverse i 2 p + grow.
Proof.
  intros i p m Two Hi Hp Hm. assert (Hg := grow_positive).
  destruct (Nat.eq_dec i (leader arms p)) as [E|N]; [|apply challenger_shrinks_slowly; assumption].
  set (l := leader arms p) in *. assert (Pi : 0 < p i) by (apply Hp, Hi).
  assert (LL := leader_large p Hp). fold l in LL. rewrite <- E in LL.
  replace (INR arms) with 2 in LL by (rewrite Two; simpl; ring).
  assert (Half : 1 / 2 <= p i).
  { apply inv_le in LL; [|apply Rinv_0_lt_compat; assumption]. rewrite Rinv_inv in LL. lra. }
  set (e := but i (fun _ => 2 * grow)).
  assert (Sum : sum arms (fun a => p a * e a) = 2 * grow * (1 - p i)).
  { rewrite (sum_ext arms _ (fun a => 2 * grow * but i p a)).
    - rewrite sum_scale. assert (S1 := proj2 Hp). rewrite (sum_out arms p i Hi) in S1. f_equal. lra.
    - intros a _. unfold e, but. destruct (a =? i); ring. }
  apply Rle_trans with (inverse i 2 p + sum arms (fun a => p a * e a)); [|rewrite Sum; nra].
  apply after_grows; auto.
  - intros a _. unfold e, but. destruct (a =? i); lra.
  - intros a x Ha Hx. unfold e. destruct (Nat.eq_dec a i) as [F|F].
    + rewrite F, but_same, Rplus_0_r. unfold inverse. apply Rmax_lub; [|apply Rmax_r].
      apply Rle_trans with (/ p i); [|apply Rmax_l]. apply inv_le; [assumption|].
      unfold learn. rewrite (learn_line arms alpha some_arms p Hp i x i Hi Hi). fold l. unfold shift.
      rewrite (proj2 (Nat.eqb_eq i l) E).
      assert (C := contest_range arms some_arms p Hp). fold l in C. rewrite <- E in C |- *.
      assert (0 <= x * (alpha * (contest arms p i * p i))) by (repeat apply Rmult_le_pos; lra). lra.
    + rewrite but_other; [|assumption]. unfold inverse.
      apply Rle_trans with (2 + 2 * grow); [|assert (2 <= Rmax (/ p i) 2) by apply Rmax_r; lra].
      apply Rmax_lub; [|lra].
      apply Rle_trans with (/ p i / (1 - alpha)); [apply inverse_after; assumption|].
      replace (2 + 2 * grow) with (2 / (1 - alpha)) by (unfold grow; field; lra).
      unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|assumption].
Qed.

(** Jensen: the mean of a logarithm is at most the logarithm of the mean *)
Lemma jensen : forall f bound adv T h p, always_lawful arms means possible adv -> (forall p, valid arms p -> 0 < f p) ->
  valid arms p -> 0 < bound -> expected arms learn nothing f adv T h p <= bound ->
  expected arms learn nothing (fun p => ln (f p)) adv T h p <= ln bound.
Proof.
  intros f bound adv T h p L Pos Hp Hb Hf.
  apply Rle_trans with (expected arms learn (fun p m => nothing p m + / bound * nothing p m)
    (fun p => (ln bound - 1) + / bound * f p) adv T h p).
  - apply (expected_le arms learn means possible possible_is_law keeps); auto.
    + intros. unfold nothing. lra.
    + intros q Hq. assert (J := ln_tangent (f q) bound (Pos q Hq) Hb).
      replace ((f q - bound) / bound) with (/ bound * f q - 1) in J by (field; lra). lra.
  - rewrite expected_linear, (expected_const arms learn means possible possible_is_law keeps _ adv L T h p Hp).
    assert (/ bound * expected arms learn nothing f adv T h p <= / bound * bound).
    { apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat|]; assumption. }
    rewrite Rinv_l in H; lra.
Qed.

(** the mean of -ln p(i) after T rounds, for any floor with which 1/p(i) grows as above *)
Lemma log_tail : forall i floor adv T, (i < arms)%nat -> always_lawful arms means possible adv -> INR arms <= floor ->
  (forall p m, valid arms p -> lawful m -> after arms learn (inverse i floor) p m <= inverse i floor p + grow) ->
  - ln (floor + INR T * grow) <= E_end arms learn (fun p => ln (p i)) adv T.
Proof.
  intros i floor adv T Hi L Hfl One. assert (Hg := grow_positive).
  assert (K1 : 0 < INR arms) by (apply lt_0_INR, some_arms).
  assert (U := uniform_valid arms some_arms).
  assert (N0 : 0 <= INR T) by apply pos_INR.
  assert (C := certificate arms learn means possible possible_is_law keeps nothing (inverse i floor) grow).
  specialize (C ltac:(intros p m Hp Hm; unfold nothing; rewrite Rplus_0_l; apply One;
    assumption) adv L T [] (uniform arms) U).
  replace (inverse i floor (uniform arms)) with floor in C.
  2:{ unfold inverse, uniform. rewrite Rinv_inv, Rmax_right; lra. }
  assert (J := jensen (inverse i floor) (floor + INR T * grow) adv T [] (uniform arms) L
    ltac:(intros p Hp; unfold inverse; apply Rlt_le_trans with floor; [lra|apply Rmax_r]) U ltac:(nra) C).
  unfold E_end.
  assert (Flip : expected arms learn (fun p m => nothing p m + -1 * nothing p m)
    (fun p => nought p + -1 * ln (p i)) adv T [] (uniform arms)
     <= expected arms learn nothing (fun p => ln (inverse i floor p)) adv T [] (uniform arms)).
  { apply (expected_le arms learn means possible possible_is_law keeps); auto.
    - intros. unfold nothing. lra.
    - intros p Hp. assert (Pi : 0 < p i) by (apply Hp, Hi). unfold nought.
      replace (0 + -1 * ln (p i)) with (ln (/ p i)) by (rewrite ln_Rinv; [ring|assumption]).
      assert (H : / p i <= inverse i floor p) by apply Rmax_l.
      assert (0 < / p i) by (apply Rinv_0_lt_compat; assumption).
      destruct H as [H|H]; [left; apply ln_increasing; assumption|rewrite H; lra]. }
  rewrite expected_linear in Flip.
  assert (Z := expected_const arms learn means possible possible_is_law keeps 0 adv L T [] (uniform arms) U).
  change (fun _ : nat -> R => 0) with nought in Z. rewrite Z in Flip. lra.
Qed.
End Tail.
