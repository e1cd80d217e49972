(** Sums over arms, and sums over all arms but one. *)
From Coq Require Import Reals Lra Lia Arith.
Require Import Samba.
Open Scope R_scope.

Definition sum : nat -> (nat -> R) -> R := total R 0 Rplus.

(** [but j f] is f with a zero at j: [sum n (but j f)] leaves the arm j out *)
Definition but (j : nat) (f : nat -> R) (i : nat) : R := if i =? j then 0 else f i.

Lemma sum_S : forall n f, sum (S n) f = sum n f + f n.
Proof. reflexivity. Qed.

Lemma but_same : forall j f, but j f j = 0.
Proof. intros. unfold but. rewrite Nat.eqb_refl. reflexivity. Qed.

Lemma but_other : forall j f i, i <> j -> but j f i = f i.
Proof. intros j f i H. unfold but. apply Nat.eqb_neq in H. rewrite H. reflexivity. Qed.

Lemma sum_ext : forall n f g, (forall i, (i < n)%nat -> f i = g i) -> sum n f = sum n g.
Proof.
  induction n as [|n IH]; intros f g H; [reflexivity|].
  rewrite !sum_S, (IH f g), (H n); auto with arith.
Qed.

Lemma sum_le : forall n f g, (forall i, (i < n)%nat -> f i <= g i) -> sum n f <= sum n g.
Proof.
  induction n as [|n IH]; intros f g H; [apply Rle_refl|].
  rewrite !sum_S. apply Rplus_le_compat; auto with arith.
Qed.

Lemma sum_plus : forall n f g, sum n (fun i => f i + g i) = sum n f + sum n g.
Proof. induction n as [|n IH]; intros f g; [unfold sum; simpl; ring|]. rewrite !sum_S, IH. ring. Qed.

Lemma sum_scale : forall n k f, sum n (fun i => k * f i) = k * sum n f.
Proof. induction n as [|n IH]; intros k f; [unfold sum; simpl; ring|]. rewrite !sum_S, IH. ring. Qed.

Lemma sum_const : forall n k, sum n (fun _ => k) = INR n * k.
Proof. induction n as [|n IH]; intros k; [unfold sum; simpl; ring|]. rewrite sum_S, IH, S_INR. ring. Qed.

Lemma sum_zero : forall n f, (forall i, (i < n)%nat -> f i = 0) -> sum n f = 0.
Proof. intros n f H. rewrite (sum_ext n f (fun _ => 0) H), sum_const. ring. Qed.

Lemma sum_nonneg : forall n f, (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum n f.
Proof. intros n f H. rewrite <- (sum_zero n (fun _ => 0)); auto. apply sum_le. assumption. Qed.

Lemma sum_swap : forall n m f, sum n (fun a => sum m (fun i => f a i)) = sum m (fun i => sum n (fun a => f a i)).
Proof.
  induction n as [|n IH]; intros m f.
  - symmetry. apply sum_zero. reflexivity.
  - rewrite sum_S, IH, <- sum_plus. apply sum_ext. intros. rewrite sum_S. reflexivity.
Qed.

(** one arm taken out of a sum *)
Lemma sum_out : forall n f j, (j < n)%nat -> sum n f = f j + sum n (but j f).
Proof.
  induction n as [|n IH]; intros f j H; [lia|].
  rewrite !sum_S. destruct (Nat.eq_dec j n) as [E|E].
  - subst j. rewrite but_same, (sum_ext n (but n f) f); [ring|].
    intros i Hi. apply but_other. lia.
  - rewrite (IH f j), (but_other j f n); [ring|lia|lia].
Qed.

(** the same facts for a sum over all arms but one *)
Lemma but_ext : forall n j f g, (forall i, (i < n)%nat -> i <> j -> f i = g i) -> sum n (but j f) = sum n (but j g).
Proof.
  intros n j f g H. apply sum_ext. intros i Hi. unfold but. destruct (Nat.eqb_spec i j); auto.
Qed.

Lemma but_le : forall n j f g, (forall i, (i < n)%nat -> i <> j -> f i <= g i) -> sum n (but j f) <= sum n (but j g).
Proof.
  intros n j f g H. apply sum_le. intros i Hi. unfold but. destruct (Nat.eqb_spec i j); auto. lra.
Qed.

Lemma but_nonneg : forall n j f, (forall i, (i < n)%nat -> i <> j -> 0 <= f i) -> 0 <= sum n (but j f).
Proof.
  intros n j f H. apply sum_nonneg. intros i Hi. unfold but. destruct (Nat.eqb_spec i j); auto. lra.
Qed.

Lemma but_zero : forall n j f, (forall i, (i < n)%nat -> i <> j -> f i = 0) -> sum n (but j f) = 0.
Proof.
  intros n j f H. apply sum_zero. intros i Hi. unfold but. destruct (Nat.eqb_spec i j); auto.
Qed.

Lemma but_plus : forall n j f g, sum n (but j (fun i => f i + g i)) = sum n (but j f) + sum n (but j g).
Proof.
  intros. rewrite <- sum_plus. apply sum_ext. intros i Hi. unfold but. destruct (i =? j); ring.
Qed.

Lemma but_scale : forall n j k f, sum n (but j (fun i => k * f i)) = k * sum n (but j f).
Proof.
  intros. rewrite <- sum_scale. apply sum_ext. intros i Hi. unfold but. destruct (i =? j); ring.
Qed.

Lemma but_const : forall n j k, (j < n)%nat -> sum n (but j (fun _ => k)) = (INR n - 1) * k.
Proof. intros n j k H. assert (E := sum_out n (fun _ => k) j H). rewrite sum_const in E. cbv beta in E. lra. Qed.

Lemma but_out : forall n j f i, (i < n)%nat -> i <> j -> sum n (but j f) = f i + sum n (but i (but j f)).
Proof. intros n j f i H E. rewrite (sum_out n (but j f) i H), but_other; auto. Qed.

Lemma but_swap : forall n m j k f,
  sum n (fun a => k a * sum m (but j (f a))) = sum m (but j (fun i => sum n (fun a => k a * f a i))).
Proof.
  intros n m j k f. rewrite (sum_ext n _ (fun a => sum m (fun i => k a * but j (f a) i))).
  - rewrite sum_swap. apply sum_ext. intros i _. unfold but. destruct (i =? j); [|reflexivity].
    apply sum_zero. intros. ring.
  - intros a _. symmetry. apply sum_scale.
Qed.

(** a sum of non-negative numbers is at least each of them *)
Lemma but_at_least : forall n j f i, (i < n)%nat -> i <> j -> (forall k, (k < n)%nat -> k <> j -> 0 <= f k) ->
  f i <= sum n (but j f).
Proof.
  intros n j f i H E P. rewrite (but_out n j f i H E).
  assert (0 <= sum n (but i (but j f))); [|lra].
  apply but_nonneg. intros k Hk _. unfold but. destruct (Nat.eqb_spec k j); auto. lra.
Qed.

(** a sum with at most two arms in it *)
Lemma sum_two : forall n f i j, (i < n)%nat -> (j < n)%nat -> i <> j ->
  (forall k, (k < n)%nat -> k <> i -> k <> j -> f k = 0) -> sum n f = f i + f j.
Proof.
  intros n f i j Hi Hj E Z. rewrite (sum_out n f i Hi), (but_out n i f j Hj); [|auto].
  rewrite (but_zero n j); [ring|]. intros k Hk Nj. unfold but. destruct (Nat.eqb_spec k i); auto.
Qed.
