(** SAMBA, written once over any kind of number: over the real numbers it is what the theorems speak of, over the
    rationals it is run (Rationals.v) and compared with src/robandit/policies/samba.py (tests/test_proofs.py). *)
From Coq Require Import Arith.

Section Rule.
Variable number : Type.
Variables zero one : number.
Variables add sub mul div : number -> number -> number.
Variable less : number -> number -> bool.

Fixpoint total (n : nat) (f : nat -> number) : number :=
  match n with
  | O => zero
  | S m => add (total m f) (f m)
  end.

(** the arm with the largest probability; of several the first *)
Fixpoint first_largest (p : nat -> number) (n : nat) : nat :=
  match n with
  | O => O
  | S m => let best := first_largest p m in if less (p best) (p m) then m else best
  end.

Variable arms : nat.
Variable alpha : number.

Definition leader (p : nat -> number) : nat := first_largest p arms.

(** the probability of an arm that does not lead, after the arm [pulled] paid [reward] *)
Definition challenger (p : nat -> number) (pulled : nat) (reward : number) (i : nat) : number :=
  let rate := div (mul alpha reward) (p pulled) in
  if pulled =? leader p then sub (p i) (mul (mul rate (p i)) (p i))
  else if pulled =? i then add (p i) (mul (mul rate (p i)) (p i))
  else p i.

(** the leader gets what the others leave *)
Definition learn (p : nat -> number) (pulled : nat) (reward : number) (i : nat) : number :=
  if i =? leader p
  then sub one (total arms (fun j => if j =? leader p then zero else challenger p pulled reward j))
  else challenger p pulled reward i.
End Rule.
