(** One step of SAMBA over the real numbers: a straight line in the reward, that stays inside the simplex. *)
From Coq Require Import Reals Lra Lia Psatz Arith.
Require Import Samba Sums Play.
Open Scope R_scope.

Definition less (x y : R) : bool := if Rlt_dec x y then true else false.
Definition leader (arms : nat) : (nat -> R) -> nat := Samba.leader R less arms.
Definition learn (arms : nat) (alpha : R) : (nat -> R) -> nat -> R -> (nat -> R) :=
  Samba.learn R 0 1 Rplus Rminus Rmult Rdiv less arms alpha.

Lemma less_true : forall x y, less x y = true -> x < y.
Proof. intros x y. unfold less. destruct (Rlt_dec x y); [auto|discriminate]. Qed.

Lemma less_false : forall x y, less x y = false -> y <= x.
Proof. intros x y. unfold less. destruct (Rlt_dec x y); [discriminate|intros; lra]. Qed.

Section Step.
Variable arms : nat.
Variable alpha : R.
Hypothesis some_arms : (0 < arms)%nat.
Hypothesis step : 0 < alpha < 1.

Lemma first_largest_spec : forall p n, (0 < n)%nat ->
  (first_largest R less p n < n)%nat /\ forall a, (a < n)%nat -> p a <= p (first_largest R less p n).
Proof.
  intros p. induction n as [|n IH]; intros H; [lia|]. simpl.
  destruct (Nat.eq_dec n 0) as [E|E].
  - subst n. simpl.
    replace (if less (p 0%nat) (p 0%nat) then 0%nat else 0%nat) with 0%nat by (destruct less; reflexivity).
    split; [lia|]. intros a Ha. replace a with 0%nat by lia. apply Rle_refl.
  - destruct IH as [I1 I2]; [lia|]. destruct (less (p (first_largest R less p n)) (p n)) eqn:G.
    + apply less_true in G. split; [lia|]. intros a Ha. destruct (Nat.eq_dec a n) as [E'|E']; [rewrite E'; lra|].
      apply Rle_trans with (p (first_largest R less p n)); [apply I2; lia|lra].
    + apply less_false in G. split; [lia|]. intros a Ha.
      destruct (Nat.eq_dec a n) as [E'|E']; [rewrite E'; lra|]. apply I2; lia.
Qed.

Lemma leader_is_arm : forall p, (leader arms p < arms)%nat.
Proof. intros. apply first_largest_spec, some_arms. Qed.

Lemma leader_leads : forall p a, (a < arms)%nat -> p a <= p (leader arms p).
Proof. intros. apply first_largest_spec; assumption. Qed.

(** sum of the squared ratios to the leader l over the other arms *)
Definition contest (p : nat -> R) (l : nat) : R := sum arms (but l (fun a => (p a / p l) * (p a / p l))).

(** how p(i) moves when [pulled] pays one, l being the leader *)
Definition shift (p : nat -> R) (l pulled i : nat) : R :=
  if i =? l then (if pulled =? l then alpha * (contest p l * p l) else - (alpha * p pulled))
  else if pulled =? l then - (alpha * (p i / p l) * p i)
  else if pulled =? i then alpha * p i
  else 0.

Section State.
Variable p : nat -> R.
Hypothesis p_valid : valid arms p.
Let l := leader arms p.
Let l_arm : (l < arms)%nat := leader_is_arm p.
Let l_leads : forall a, (a < arms)%nat -> p a <= p l := leader_leads p.

Lemma leader_positive : 0 < p l.
Proof. apply p_valid, l_arm. Qed.

Lemma ratio_range : forall a, (a < arms)%nat -> 0 < p a / p l <= 1.
Proof.
  intros a Ha. assert (P := leader_positive). assert (0 < p a) by (apply p_valid, Ha). split.
  - apply Rdiv_lt_0_compat; assumption.
  - apply Rmult_le_reg_r with (p l); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; [|lra].
    specialize (l_leads a Ha). lra.
Qed.

Lemma contest_range : 0 <= contest p l <= INR arms - 1.
Proof.
  unfold contest. split.
  - apply but_nonneg. intros a Ha _. assert (H := ratio_range a Ha). nra.
  - rewrite <- (Rmult_1_r (INR arms - 1)), <- (but_const arms l 1 l_arm).
    apply but_le. intros a Ha _. assert (H := ratio_range a Ha). nra.
Qed.

(** the update rule is a straight line in the reward *)
Lemma challenger_line : forall pulled x i, (pulled < arms)%nat -> i <> l ->
  challenger R Rplus Rminus Rmult Rdiv less arms alpha p pulled x i = p i + x * shift p l pulled i.
Proof.
  intros pulled x i Ha Hi. unfold challenger, shift.
  change (Samba.leader R less arms p) with l.
  assert (P := leader_positive). assert (0 < p pulled) by (apply p_valid, Ha).
  destruct (Nat.eqb_spec i l) as [E|_]; [contradiction|].
  destruct (Nat.eqb_spec pulled l) as [E|E]; [rewrite E; field; lra|].
  destruct (Nat.eqb_spec pulled i) as [F|F]; [rewrite <- F; field; lra|ring].
Qed.

Lemma learn_line : forall pulled x i, (pulled < arms)%nat -> (i < arms)%nat ->
  learn arms alpha p pulled x i = p i + x * shift p l pulled i.
Proof.
  intros pulled x i Ha Hi. unfold learn, Samba.learn.
  change (Samba.leader R less arms p) with l. fold sum.
  destruct (Nat.eqb_spec i l) as [E|E]; [|apply challenger_line; assumption].
  subst i. assert (P := leader_positive).
  assert (S1 := proj2 p_valid). rewrite (sum_out arms p l l_arm) in S1.
  change (fun j => if j =? l then 0 else challenger R Rplus Rminus Rmult Rdiv less arms alpha p pulled x j)
    with (but l (challenger R Rplus Rminus Rmult Rdiv less arms alpha p pulled x)).
  rewrite (but_ext arms l _ (fun j => p j + x * shift p l pulled j)).
  2:{ intros j Hj Nj. apply challenger_line; assumption. }
  rewrite but_plus, but_scale.
  assert (Out : shift p l pulled l = - sum arms (but l (shift p l pulled))).
  { unfold shift at 1. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec pulled l) as [F|F].
    - rewrite (but_ext arms l _ (fun j => - (alpha * p l) * ((p j / p l) * (p j / p l)))).
      + rewrite but_scale. unfold contest. ring.
      + intros j Hj Nj. unfold shift. rewrite (proj2 (Nat.eqb_neq j l) Nj), (proj2 (Nat.eqb_eq pulled l) F). field. lra.
    - rewrite (but_out arms l _ pulled Ha F). rewrite (but_zero arms pulled).
      + unfold shift. rewrite (proj2 (Nat.eqb_neq pulled l) F), Nat.eqb_refl. ring.
      + intros j Hj Nj. unfold but. destruct (Nat.eqb_spec j l) as [G|G]; [reflexivity|]. unfold shift.
        rewrite (proj2 (Nat.eqb_neq j l) G), (proj2 (Nat.eqb_neq pulled l) F).
        destruct (Nat.eqb_spec pulled j); [subst; contradiction|reflexivity]. }
  rewrite Out. lra.
Qed.

(** no shift takes more than the share alpha of what an arm has *)
Lemma shift_bounded : forall pulled i, (pulled < arms)%nat -> (i < arms)%nat -> - (alpha * p i) <= shift p l pulled i.
Proof.
  intros a i Ha Hi. assert (P := leader_positive). assert (0 < p a) by (apply p_valid, Ha).
  assert (0 < p i) by (apply p_valid, Hi). assert (Ri := ratio_range i Hi). assert (C := contest_range).
  assert (0 <= alpha * p i) by nra.
  unfold shift. destruct (Nat.eqb_spec i l) as [E|E].
  - subst i. destruct (a =? l).
    + assert (0 <= alpha * (contest p l * p l)) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]). lra.
    + specialize (l_leads a Ha). nra.
  - destruct (a =? l); [|destruct (a =? i); lra].
    assert (alpha * (p i / p l) * p i <= alpha * p i); [|lra]. nra.
Qed.

Lemma shifted_positive : forall pulled i x, (pulled < arms)%nat -> (i < arms)%nat -> 0 <= x <= 1 ->
  0 < p i + x * shift p l pulled i.
Proof.
  intros a i x Ha Hi Hx. assert (B := shift_bounded a i Ha Hi). assert (0 < p i) by (apply p_valid, Hi).
  assert (x * - (alpha * p i) <= x * shift p l a i) by (apply Rmult_le_compat_l; lra).
  assert (x * (alpha * p i) <= 1 * (alpha * p i)) by (apply Rmult_le_compat_r; nra). nra.
Qed.

Lemma learn_sum : forall pulled x, sum arms (learn arms alpha p pulled x) = 1.
Proof.
  intros a x. rewrite (sum_out arms _ l l_arm).
  unfold learn at 1, Samba.learn. change (Samba.leader R less arms p) with l. rewrite Nat.eqb_refl. fold sum.
  rewrite (but_ext arms l _ (challenger R Rplus Rminus Rmult Rdiv less arms alpha p a x)).
  - unfold but. lra.
  - intros i _ E. unfold learn, Samba.learn. change (Samba.leader R less arms p) with l.
    rewrite (proj2 (Nat.eqb_neq i l) E). reflexivity.
Qed.

Lemma learn_valid : forall pulled x, (pulled < arms)%nat -> 0 <= x <= 1 -> valid arms (learn arms alpha p pulled x).
Proof.
  intros a x Ha Hx. split; [|apply learn_sum].
  intros i Hi. rewrite learn_line; auto. apply shifted_positive; assumption.
Qed.

(** The mean shift, whatever the mean rewards m: exact. *)
Lemma mean_shift_challenger : forall m i, (i < arms)%nat -> i <> l ->
  sum arms (fun a => p a * m a * shift p l a i) = alpha * (p i * p i) * (m i - m l).
Proof.
  intros m i Hi E. assert (P := leader_positive).
  rewrite (sum_two arms _ i l); auto.
  - unfold shift. rewrite !Nat.eqb_refl, (proj2 (Nat.eqb_neq i l) E). field. lra.
  - intros k Hk N1 N2. unfold shift.
    rewrite (proj2 (Nat.eqb_neq i l) E), (proj2 (Nat.eqb_neq k l) N2), (proj2 (Nat.eqb_neq k i) N1). ring.
Qed.

Lemma mean_shift_leader : forall m,
  sum arms (fun a => p a * m a * shift p l a l) = sum arms (but l (fun i => alpha * (p i * p i) * (m l - m i))).
Proof.
  intros m. assert (P := leader_positive). rewrite (sum_out arms _ l l_arm).
  rewrite (but_ext arms l (fun a => p a * m a * shift p l a l) (fun a => - alpha * (p a * p a * m a))).
  2:{ intros a Ha N. unfold shift. rewrite Nat.eqb_refl, (proj2 (Nat.eqb_neq a l) N). ring. }
  rewrite (but_ext arms l (fun i => alpha * (p i * p i) * (m l - m i))
    (fun i => alpha * m l * p l * p l * ((p i / p l) * (p i / p l)) + - alpha * (p i * p i * m i))).
  2:{ intros a Ha N. field. lra. }
  rewrite but_plus, !but_scale. cbv beta. unfold shift. rewrite !Nat.eqb_refl. unfold contest. ring.
Qed.
End State.
End Step.
