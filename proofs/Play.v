(** A play of T rounds against an adversary that adapts to everything it has seen, and the principle by which one
    inequality about one round bounds the whole play. Nothing here knows what the policy is. *)
From Coq Require Import Reals Lra Lia List.
Require Import Samba Sums.
Import ListNotations.
Open Scope R_scope.

(** a law of rewards with finitely many values: (weight, value) *)
Definition law := list (R * R).

Fixpoint mean (f : R -> R) (d : law) : R :=
  match d with
  | [] => 0
  | (weight, x) :: rest => weight * f x + mean f rest
  end.

Definition mean_reward (d : law) : R := mean (fun x => x) d.

Definition is_law (d : law) : Prop :=
  (forall weight x, In (weight, x) d -> 0 <= weight /\ 0 <= x <= 1) /\ mean (fun _ => 1) d = 1.

Lemma mean_plus : forall f g d, mean (fun x => f x + g x) d = mean f d + mean g d.
Proof. intros f g. induction d as [|[w x] d IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma mean_scale : forall k f d, mean (fun x => k * f x) d = k * mean f d.
Proof. intros k f. induction d as [|[w x] d IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma mean_ext : forall f g d, (forall x, f x = g x) -> mean f d = mean g d.
Proof. intros f g d H. induction d as [|[w x] d IH]; simpl; [reflexivity|]. rewrite IH, H. reflexivity. Qed.

Lemma mean_le : forall f g d, is_law d -> (forall x, 0 <= x <= 1 -> f x <= g x) -> mean f d <= mean g d.
Proof.
  intros f g d [P _] H. induction d as [|[w x] d IH]; simpl; [lra|].
  destruct (P w x (or_introl eq_refl)) as [Hw Hx].
  apply Rplus_le_compat; [apply Rmult_le_compat_l; auto|apply IH].
  intros w' x' I. apply P. right. exact I.
Qed.

Lemma mean_eq : forall f g d, is_law d -> (forall x, 0 <= x <= 1 -> f x = g x) -> mean f d = mean g d.
Proof. intros f g d L H. apply Rle_antisym; apply mean_le; auto; intros x Hx; rewrite H; auto; lra. Qed.

Lemma mean_const : forall k d, is_law d -> mean (fun _ => k) d = k.
Proof.
  intros k d [_ H]. rewrite (mean_ext (fun _ => k) (fun _ => k * 1) d); [|intros; ring].
  rewrite mean_scale, H. ring.
Qed.

(** what is below a straight line in the reward has a mean below that line at the mean reward *)
Lemma mean_line : forall f u v d, is_law d -> (forall x, 0 <= x <= 1 -> f x <= u + x * v) ->
  mean f d <= u + mean_reward d * v.
Proof.
  intros f u v d L H. apply Rle_trans with (mean (fun x => u + v * x) d).
  - apply mean_le; auto. intros x Hx. rewrite (Rmult_comm v x). auto.
  - rewrite mean_plus, mean_const, mean_scale; auto. unfold mean_reward. lra.
Qed.

Lemma mean_reward_range : forall d, is_law d -> 0 <= mean_reward d <= 1.
Proof.
  intros d L. split.
  - rewrite <- (mean_const 0 d L). apply mean_le; auto. intros; lra.
  - rewrite <- (mean_const 1 d L). apply mean_le; auto. intros; lra.
Qed.

(** the reward is one with probability x, and else zero *)
Definition bernoulli (x : R) : law := [(x, 1); (1 - x, 0)].
Definition is_bernoulli (d : law) : Prop := exists x, 0 <= x <= 1 /\ d = bernoulli x.

Lemma bernoulli_is_law : forall d, is_bernoulli d -> is_law d.
Proof.
  intros d (x & Hx & E). subst d. unfold is_law, bernoulli. simpl. split; [|lra].
  intros w y [H|[H|[]]]; inversion H; lra.
Qed.

Lemma mean_bernoulli : forall f d, is_bernoulli d -> mean f d = mean_reward d * f 1 + (1 - mean_reward d) * f 0.
Proof. intros f d (x & _ & E). subst d. unfold mean_reward, bernoulli. simpl. ring. Qed.

(** what the adversary shows in a round: a law of rewards for each arm; and what it pays for that *)
Record move := { shown : nat -> law; cost : R }.

(** its strategy looks at all arms and rewards so far, the newest first *)
Definition history := list (nat * R).
Definition adversary := history -> move.

Section Play.
Variable arms : nat.
Variable learn : (nat -> R) -> nat -> R -> (nat -> R).
Variable means : nat -> R.  (* the true mean rewards *)
Variable possible : law -> Prop.  (* which laws may be shown: all on [0, 1], or only Bernoulli *)
Hypothesis possible_is_law : forall d, possible d -> is_law d.

(** the cost of a round is at least the largest move of a mean *)
Definition lawful (m : move) : Prop :=
  forall a, (a < arms)%nat ->
  possible (shown m a) /\ means a - cost m <= mean_reward (shown m a) <= means a + cost m.

Definition always_lawful (adv : adversary) : Prop := forall h, lawful (adv h).

(** probabilities: positive, of sum one *)
Definition valid (p : nat -> R) : Prop := (forall a, (a < arms)%nat -> 0 < p a) /\ sum arms p = 1.

Hypothesis stays_valid : forall p a x, valid p -> (a < arms)%nat -> 0 <= x <= 1 -> valid (learn p a x).

(** the expectation of f after one round *)
Definition after (f : (nat -> R) -> R) (p : nat -> R) (m : move) : R :=
  sum arms (fun a => p a * mean (fun x => f (learn p a x)) (shown m a)).

(** the expectation of the sum of g over the T rounds to come, plus f at the end *)
Fixpoint expected (g : (nat -> R) -> move -> R) (f : (nat -> R) -> R) (adv : adversary) (T : nat) (h : history)
    (p : nat -> R) : R :=
  match T with
  | O => f p
  | S n => g p (adv h) +
      sum arms (fun a => p a * mean (fun x => expected g f adv n ((a, x) :: h) (learn p a x)) (shown (adv h) a))
  end.

Definition nothing (p : nat -> R) (m : move) : R := 0.
Definition nought (p : nat -> R) : R := 0.

(** from equal probabilities: E of a sum over rounds, E of a function of the last state *)
Definition uniform (a : nat) : R := / INR arms.
Definition E_sum (g : (nat -> R) -> move -> R) (adv : adversary) (T : nat) : R := expected g nought adv T [] uniform.
Definition E_end (f : (nat -> R) -> R) (adv : adversary) (T : nat) : R := expected nothing f adv T [] uniform.

Lemma uniform_valid : (0 < arms)%nat -> valid uniform.
Proof.
  intros H. assert (0 < INR arms) by (apply lt_0_INR; assumption). split.
  - intros a _. apply Rinv_0_lt_compat. assumption.
  - unfold uniform. rewrite sum_const. field. lra.
Qed.

Lemma after_le : forall f g p m, (forall p, valid p -> f p <= g p) -> valid p -> lawful m -> after f p m <= after g p m.
Proof.
  intros f g p m H Hp Hm. apply sum_le. intros a Ha. apply Rmult_le_compat_l; [left; apply Hp; exact Ha|].
  apply mean_le; [apply possible_is_law, Hm; exact Ha|]. intros x Hx. apply H, stays_valid; auto.
Qed.

Lemma after_const : forall k p m, valid p -> lawful m -> after (fun _ => k) p m = k.
Proof.
  intros k p m [_ S1] Hm. unfold after. rewrite (sum_ext arms _ (fun a => k * p a)).
  - rewrite sum_scale, S1. ring.
  - intros a Ha. rewrite mean_const; [ring|]. apply possible_is_law, Hm; exact Ha.
Qed.

Lemma expected_linear : forall k g1 g2 f1 f2 adv T h p,
  expected (fun p m => g1 p m + k * g2 p m) (fun p => f1 p + k * f2 p) adv T h p =
  expected g1 f1 adv T h p + k * expected g2 f2 adv T h p.
Proof.
  intros k g1 g2 f1 f2 adv. induction T as [|n IH]; intros h p; simpl; [reflexivity|].
  rewrite (sum_ext arms _ (fun a =>
     p a * mean (fun x => expected g1 f1 adv n ((a, x) :: h) (learn p a x)) (shown (adv h) a) +
     k * (p a * mean (fun x => expected g2 f2 adv n ((a, x) :: h) (learn p a x)) (shown (adv h) a)))).
  - rewrite sum_plus, sum_scale. ring.
  - intros a _.
    rewrite (mean_ext _ (fun x => expected g1 f1 adv n ((a, x) :: h) (learn p a x) +
                                  k * expected g2 f2 adv n ((a, x) :: h) (learn p a x))); [|intros; apply IH].
    rewrite mean_plus, mean_scale. ring.
Qed.

Lemma expected_same : forall g g' f f' adv T h p, (forall p m, g p m = g' p m) -> (forall p, f p = f' p) ->
  expected g f adv T h p = expected g' f' adv T h p.
Proof.
  intros g g' f f' adv T h p Hg Hf. revert h p. induction T as [|n IH]; intros h p; simpl; [apply Hf|].
  rewrite Hg. f_equal. apply sum_ext. intros a _. f_equal. apply mean_ext. intros x. apply IH.
Qed.

(** The principle: if g plus the expectation of V after the round is at most V plus [growth], wherever the play is and
    whatever the adversary does, then g summed over T rounds plus V at the end is at most V now plus T [growth]. *)
Theorem certificate : forall g V growth,
  (forall p m, valid p -> lawful m -> g p m + after V p m <= V p + growth) ->
  forall adv, always_lawful adv -> forall T h p, valid p -> expected g V adv T h p <= V p + INR T * growth.
Proof.
  intros g V growth H adv L. induction T as [|n IH]; intros h p Hp; [simpl; lra|].
  rewrite S_INR. simpl.
  assert (One := H p (adv h) Hp (L h)).
  assert (Step : sum arms (fun a => p a * mean
    (fun x => expected g V adv n ((a, x) :: h) (learn p a x)) (shown (adv h) a))
    <= after (fun p => V p + INR n * growth) p (adv h)).
  { apply sum_le. intros a Ha. apply Rmult_le_compat_l; [left; apply Hp; exact Ha|].
    apply mean_le; [apply possible_is_law, (L h); exact Ha|]. intros x Hx. apply IH, stays_valid; auto. }
  assert (Linear : after (fun p => V p + INR n * growth) p (adv h) = after V p (adv h) + INR n * growth).
  { transitivity (after V p (adv h) + after (fun _ => INR n * growth) p (adv h)).
    - unfold after. rewrite <- sum_plus. apply sum_ext. intros a _. rewrite mean_plus. ring.
    - rewrite after_const; auto. }
  lra.
Qed.

Lemma expected_le : forall g g' f f' adv, always_lawful adv ->
  (forall p m, valid p -> lawful m -> g p m <= g' p m) -> (forall p, valid p -> f p <= f' p) ->
  forall T h p, valid p -> expected g f adv T h p <= expected g' f' adv T h p.
Proof.
  intros g g' f f' adv L Hg Hf. induction T as [|n IH]; intros h p Hp; simpl; [auto|].
  apply Rplus_le_compat; [apply Hg; auto|]. apply sum_le. intros a Ha.
  apply Rmult_le_compat_l; [left; apply Hp; exact Ha|].
  apply mean_le; [apply possible_is_law, (L h); exact Ha|]. intros x Hx. apply IH, stays_valid; auto.
Qed.

Lemma expected_const : forall k adv, always_lawful adv -> forall T h p, valid p ->
  expected nothing (fun _ => k) adv T h p = k.
Proof.
  intros k adv L. induction T as [|n IH]; intros h p Hp; simpl; [reflexivity|].
  unfold nothing at 1. rewrite Rplus_0_l, (sum_ext arms _ (fun a => k * p a)).
  - rewrite sum_scale, (proj2 Hp). ring.
  - intros a Ha. assert (D : is_law (shown (adv h) a)) by (apply possible_is_law, (L h); exact Ha).
    rewrite (mean_eq _ (fun _ => k) _ D), mean_const; [ring|exact D|].
    intros x Hx. apply IH, stays_valid; auto.
Qed.

(** a hard budget: whatever happens in the T rounds to come, no more than C is paid *)
Fixpoint affordable (adv : adversary) (C : R) (T : nat) (h : history) : Prop :=
  match T with
  | O => 0 <= C
  | S n => forall a x, affordable adv (C - cost (adv h)) n ((a, x) :: h)
  end.

Theorem budget : forall adv, always_lawful adv -> forall T h p C, valid p -> affordable adv C T h ->
  expected (fun _ m => cost m) nought adv T h p <= C.
Proof.
  intros adv L. induction T as [|n IH]; intros h p C Hp B; simpl in *; [exact B|].
  apply Rle_trans with (cost (adv h) + sum arms (fun a => (C - cost (adv h)) * p a)).
  - apply Rplus_le_compat_l, sum_le. intros a Ha. rewrite (Rmult_comm (C - cost (adv h))).
    apply Rmult_le_compat_l; [left; apply Hp; exact Ha|].
    assert (D : is_law (shown (adv h) a)) by (apply possible_is_law, (L h); exact Ha).
    rewrite <- (mean_const (C - cost (adv h)) _ D). apply mean_le; auto.
  - rewrite sum_scale, (proj2 Hp). lra.
Qed.

(** sum over rounds and value at the end, apart *)
Lemma expected_split : forall g f adv T h p,
  expected g f adv T h p = expected g nought adv T h p + expected nothing f adv T h p.
Proof.
  intros g f adv T h p. rewrite <- (Rmult_1_l (expected nothing f adv T h p)).
  rewrite <- expected_linear. apply expected_same; intros; unfold nothing, nought; ring.
Qed.
End Play.
