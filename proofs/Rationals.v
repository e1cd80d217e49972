(** The rule of Samba.v over the rationals, where it can be run. *)
From Coq Require Import List QArith.
Require Import Samba.
Import ListNotations.
Open Scope Q_scope.

Definition less (x y : Q) : bool := negb (Qle_bool y x).

Definition learn (arms : nat) (alpha : Q) : (nat -> Q) -> nat -> Q -> (nat -> Q) :=
  Samba.learn Q 0 1 Qplus Qminus Qmult Qdiv less arms alpha.

Definition as_function (p : list Q) (i : nat) : Q := nth i p 0.

(** one step, with the probabilities written down as a list of reduced fractions *)
Definition learned (arms : nat) (alpha : Q) (p : list Q) (outcome : nat * Q) : list Q :=
  map (fun i => Qred (learn arms alpha (as_function p) (fst outcome) (snd outcome) i)) (seq 0 arms).

Definition uniform (arms : nat) : list Q := repeat (1 # Pos.of_nat arms) arms.

(** numerators and denominators after a sequence of (arm, reward) *)
Definition play (arms : nat) (alpha : Q) (outcomes : list (nat * Q)) : list (Z * Z) :=
  map (fun x => (Qnum x, Zpos (Qden x))) (fold_left (learned arms alpha) outcomes (uniform arms)).
