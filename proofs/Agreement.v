(** What is run over the rationals is what the theorems say about the real numbers. *)
From Coq Require Import List QArith Qreals Reals Lra Lia.
Require Import Samba Rationals Step.

Lemma less_agrees : forall x y : Q, Step.less (Q2R x) (Q2R y) = Rationals.less x y.
Proof.
  intros x y. unfold Step.less, Rationals.less. destruct (Rlt_dec (Q2R x) (Q2R y)) as [H|H]; symmetry.
  - apply Bool.negb_true_iff. destruct (Qle_bool y x) eqn:E; [|reflexivity].
    apply Qle_bool_iff in E. apply Qle_Rle in E. lra.
  - apply Bool.negb_false_iff, Qle_bool_iff, Rle_Qle. lra.
Qed.

Section Agreement.
Variable arms : nat.
Variables (alpha : Q) (p : nat -> Q) (pulled : nat) (reward : Q).
Hypothesis possible : ~ (p pulled == 0)%Q.
Let p' (i : nat) : R := Q2R (p i).

Lemma leader_agrees : forall n, first_largest R Step.less p' n = first_largest Q Rationals.less p n.
Proof.
  induction n as [|n IH]; [reflexivity|]. simpl. rewrite IH. unfold p'. rewrite less_agrees. reflexivity.
Qed.

Lemma challenger_agrees : forall i,
  challenger R Rplus Rminus Rmult Rdiv Step.less arms (Q2R alpha) p' pulled (Q2R reward) i =
  Q2R (challenger Q Qplus Qminus Qmult Qdiv Rationals.less arms alpha p pulled reward i).
Proof.
  intros i. unfold challenger, Samba.leader. rewrite leader_agrees. unfold p'.
  destruct (pulled =? first_largest Q Rationals.less p arms)%nat.
  - rewrite Q2R_minus, !Q2R_mult, Q2R_div, Q2R_mult; auto.
  - destruct (pulled =? i)%nat; [|reflexivity]. rewrite Q2R_plus, !Q2R_mult, Q2R_div, Q2R_mult; auto.
Qed.

Lemma total_agrees : forall f g n, (forall i, f i = Q2R (g i)) -> total R 0%R Rplus n f = Q2R (total Q 0%Q Qplus n g).
Proof.
  intros f g n H. induction n as [|n IH]; simpl; [symmetry; apply RMicromega.Q2R_0|]. rewrite IH, H, Q2R_plus.
  reflexivity.
Qed.

Theorem learn_agrees : forall i,
  Step.learn arms (Q2R alpha) p' pulled (Q2R reward) i = Q2R (Rationals.learn arms alpha p pulled reward i).
Proof.
  intros i. unfold Step.learn, Rationals.learn, Samba.learn, Samba.leader. rewrite leader_agrees.
  destruct (i =? first_largest Q Rationals.less p arms)%nat; [|apply challenger_agrees].
  rewrite Q2R_minus, RMicromega.Q2R_1. f_equal. apply total_agrees. intros j.
  destruct (j =? first_largest Q Rationals.less p arms)%nat; [symmetry; apply RMicromega.Q2R_0|apply challenger_agrees].
Qed.
End Agreement.

(** so the written-down step, too, is the step of the theorems *)
Theorem learned_agrees : forall arms alpha p pulled reward i, ~ (as_function p pulled == 0)%Q -> (i < arms)%nat ->
  Q2R (as_function (learned arms alpha p (pulled, reward)) i) =
  Step.learn arms (Q2R alpha) (fun j => Q2R (as_function p j)) pulled (Q2R reward) i.
Proof.
  intros arms alpha p pulled reward i H Hi. rewrite learn_agrees; [|assumption]. unfold as_function at 1, learned.
  set (f := fun k => Qred (Rationals.learn arms alpha (as_function p) (fst (pulled, reward)) (snd (pulled, reward)) k)).
  rewrite (nth_indep _ 0%Q (f 0%nat)); [|rewrite map_length, seq_length; assumption].
  rewrite map_nth, seq_nth; [|assumption]. unfold f. simpl. apply Qeq_eqR, Qred_correct.
Qed.
