(** Rules next to SAMBA: a success multiplies a pulled challenger by e^(u x), and a success of the leader multiplies
    every other arm by e^(-d x p(i) / p(leader)). Exponential: u = d = alpha. Balanced: u = alpha and
    d = sqrt (alpha (1 - e^-alpha)).
    Here are exact drifts of a challenger in one round, whatever the adversary shows; no bound on regret. *)
From Coq Require Import Reals Lra Lia Psatz Arith.
Require Import Samba Sums Play Step Drift.
Open Scope R_scope.

Section Family.
Variable arms : nat.
Variable means : nat -> R.
Hypothesis some_arms : (0 < arms)%nat.

(** a rule by what it does to a challenger: [up] p x if that paid x, [down] p s x if the leader did, s being p over the
    leader's; the leader gets what the others leave *)
Definition rule (up : R -> R -> R) (down : R -> R -> R -> R) (p : nat -> R) (pulled : nat) (x : R) (i : nat) : R :=
  let l := leader arms p in
  let challenger j := if pulled =? l then down (p j) (p j / p l) x else if pulled =? j then up (p j) x else p j in
  if i =? l then 1 - sum arms (but l challenger) else challenger i.

Variables (up : R -> R -> R) (down : R -> R -> R -> R).
Variable p : nat -> R.
Hypothesis p_valid : valid arms p.
Let l := leader arms p.
Variable i : nat.
Hypothesis i_arm : (i < arms)%nat.
Hypothesis challenger : i <> l.
Let s := p i / p l.
Variable m : move.

(** only two arms move a challenger: itself and the leader *)
Lemma drift_of_challenger : forall (possible : law -> Prop) f, (forall d, possible d -> is_law d) ->
  lawful arms means possible m ->
  after arms (rule up down) (fun q => f (q i)) p m =
  f (p i) + p i * (mean (fun x => f (up (p i) x)) (shown m i) - f (p i)) +
            p l * (mean (fun x => f (down (p i) s x)) (shown m l) - f (p i)).
Proof.
  intros possible f Laws L. assert (l_arm : (l < arms)%nat) by apply leader_is_arm, some_arms.
  assert (Ei := proj2 (Nat.eqb_neq i l) challenger).
  assert (Each : sum arms (fun a => p a * (mean (fun x => f (rule up down p a x i)) (shown m a) - f (p i))) =
    p i * (mean (fun x => f (up (p i) x)) (shown m i) - f (p i)) +
    p l * (mean (fun x => f (down (p i) s x)) (shown m l) - f (p i))).
  { rewrite (sum_two arms _ i l); auto.
    - unfold rule. fold l. rewrite !Nat.eqb_refl, Ei. reflexivity.
    - intros k Hk Ni Nl. unfold rule. fold l.
      rewrite Ei, (proj2 (Nat.eqb_neq k l) Nl), (proj2 (Nat.eqb_neq k i) Ni), mean_const; [ring|].
      apply Laws, L, Hk. }
  rewrite Rplus_assoc, <- Each. unfold after.
  rewrite (sum_ext arms (fun a => p a * mean (fun x => f (rule up down p a x i)) (shown m a))
    (fun a => f (p i) * p a + p a * (mean (fun x => f (rule up down p a x i)) (shown m a) - f (p i)))); [|intros; ring].
  rewrite sum_plus, sum_scale, (proj2 p_valid). ring.
Qed.
End Family.

Section Drifts.
Variable arms : nat.
Variable means : nat -> R.
Hypothesis some_arms : (0 < arms)%nat.
Variable p : nat -> R.
Hypothesis p_valid : valid arms p.
Let l := leader arms p.
Variable i : nat.
Hypothesis i_arm : (i < arms)%nat.
Hypothesis challenger : i <> l.
Let s := p i / p l.
Variable m : move.
Let mu a := mean_reward (shown m a).

Let l_arm : (l < arms)%nat := leader_is_arm arms some_arms p.
Let p_i : 0 < p i. Proof. apply p_valid, i_arm. Qed.
Let p_l : 0 < p l. Proof. apply p_valid, l_arm. Qed.
Let s_is : p i = s * p l. Proof. unfold s. field. lra. Qed.

Definition exp_up (u y x : R) : R := y * exp (u * x).
Definition exp_down (d y s x : R) : R := y * exp (- (d * s * x)).

Section Logarithm.
Hypothesis m_lawful : lawful arms means is_law m.

(** the logarithm moves by p(i) (u mu(i) - d mu(leader)), for any law of rewards *)
Theorem log_drift : forall u d,
  after arms (rule arms (exp_up u) (exp_down d)) (fun q => ln (q i)) p m = ln (p i) + p i * (u * mu i - d * mu l).
Proof.
  intros u d. rewrite (drift_of_challenger arms means some_arms _ _ p p_valid i i_arm challenger m is_law ln
    (fun _ H => H) m_lawful).
  fold l s. unfold exp_up, exp_down.
  assert (Ln : forall k a, (a < arms)%nat -> mean (fun x => ln (p i * exp (k * x))) (shown m a) = ln (p i) + k * mu a).
  { intros k a Ha. rewrite (mean_ext _ (fun x => ln (p i) + k * x)).
    - rewrite mean_plus, mean_const, mean_scale; [reflexivity|]. apply m_lawful, Ha.
    - intros x. rewrite ln_mult, ln_exp; [reflexivity|assumption|apply exp_pos]. }
  rewrite (Ln u i i_arm), (mean_ext _ (fun x => ln (p i * exp (- (d * s) * x)))), (Ln _ l l_arm).
  - replace (p l * (ln (p i) + - (d * s) * mu l - ln (p i))) with (- (s * p l) * (d * mu l)) by ring. rewrite <- s_is.
    ring.
  - intros x. f_equal. f_equal. f_equal. ring.
Qed.

(** exponential: the sign is always right, p(i) grows in the logarithm exactly if it is shown to pay more than the
  leader *)
Corollary exponential_log_drift : forall alpha,
  after arms (rule arms (exp_up alpha) (exp_down alpha))
    (fun q => ln (q i)) p m = ln (p i) + alpha * p i * (mu i - mu l).
Proof. intros alpha. rewrite log_drift. ring. Qed.

(** harmonic: p / (1 - alpha x) and p / (1 + alpha s x); here 1/p(i) has an exact drift, the same in every state *)
Theorem harmonic_reciprocal_drift : forall alpha, 0 < alpha < 1 ->
  after arms (rule arms (fun y x => y / (1 - alpha * x)) (fun y s x => y / (1 + alpha * s * x))) (fun q => / q i) p m =
  / p i + alpha * (mu l - mu i).
Proof.
  intros alpha Ha.
  rewrite (drift_of_challenger arms means some_arms _ _ p p_valid i i_arm challenger m is_law Rinv
    (fun _ H => H) m_lawful).
  fold l s. assert (Hs : 0 < s) by (apply Rdiv_lt_0_compat; assumption).
  assert (Up : mean (fun x => / (p i / (1 - alpha * x))) (shown m i) = / p i + - (alpha / p i) * mu i).
  { rewrite (mean_eq _ (fun x => / p i + - (alpha / p i) * x)).
    - rewrite mean_plus, mean_const, mean_scale; [reflexivity|]. apply m_lawful, i_arm.
    - apply m_lawful, i_arm.
    - intros x Hx. assert (0 < 1 - alpha * x) by nra. field. lra. }
  assert (Down : mean (fun x => / (p i / (1 + alpha * s * x))) (shown m l) = / p i + alpha * s / p i * mu l).
  { rewrite (mean_eq _ (fun x => / p i + alpha * s / p i * x)).
    - rewrite mean_plus, mean_const, mean_scale; [reflexivity|]. apply m_lawful, l_arm.
    - apply m_lawful, l_arm.
    - intros x Hx. assert (0 <= alpha * s * x) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). field. lra. }
  rewrite Up, Down. fold mu. unfold s. field. lra.
Qed.
End Logarithm.

(** Bernoulli rewards: how 1/p(i) moves under the family, exactly, and that it falls nowhere if u and d are badly
  matched *)
Theorem reciprocal_drift : forall u d, lawful arms means is_bernoulli m ->
  after arms (rule arms (exp_up u) (exp_down d)) (fun q => / q i) p m =
  / p i + mu l * ((exp (d * s) - 1) / s) - mu i * (1 - exp (- u)).
Proof.
  intros u d L.
  rewrite (drift_of_challenger arms means some_arms _ _ p p_valid i i_arm challenger m is_bernoulli Rinv
    bernoulli_is_law L).
  fold l s. rewrite !mean_bernoulli; try (apply L; assumption). fold (mu i) (mu l). unfold exp_up, exp_down.
  rewrite !Rmult_0_r, !Rmult_1_r, Ropp_0, exp_0, !Rmult_1_r, !Rinv_mult, <- !exp_Ropp, Ropp_involutive.
  assert (Hs : 0 < s) by (apply Rdiv_lt_0_compat; assumption).
  replace (p l) with (p i / s) by (rewrite s_is; field; lra). field. lra.
Qed.

Theorem no_recovery : forall u d, 0 < d -> lawful arms means is_bernoulli m -> mu i * (1 - exp (- u)) <= mu l * d ->
  / p i <= after arms (rule arms (exp_up u) (exp_down d)) (fun q => / q i) p m.
Proof.
  intros u d Hd L H. rewrite (reciprocal_drift u d L). assert (Hs : 0 < s) by (apply Rdiv_lt_0_compat; assumption).
  assert (N : 0 <= mu l) by (apply mean_reward_range, bernoulli_is_law, L, l_arm).
  assert (E : d <= (exp (d * s) - 1) / s).
  { apply Rmult_le_reg_r with s; [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; [|lra].
    assert (P : 0 < d * s) by (apply Rmult_lt_0_compat; assumption).
    assert (G := exp_ineq1 (d * s) ltac:(lra)). lra. }
  assert (mu l * d <= mu l * ((exp (d * s) - 1) / s)) by (apply Rmult_le_compat_l; assumption). lra.
Qed.
End Drifts.

(** Balanced: the two conditions on the lift L = r1 / r2, that a worse arm is forgotten (u < L d) and that the best arm
    recovers (d < L (1 - e^-u)), become one. *)
Theorem balanced : forall u L, 0 < u -> 0 < L -> let d := sqrt (u * (1 - exp (- u))) in
  0 < d /\ (u < L * d <-> d < L * (1 - exp (- u))).
Proof.
  intros u L Hu HL d. assert (E : 0 < 1 - exp (- u)).
  { assert (exp (- u) < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in H. lra. }
  set (e := 1 - exp (- u)) in *. assert (Ue : 0 < u * e) by (apply Rmult_lt_0_compat; assumption).
  assert (Hd : 0 < d) by (apply sqrt_lt_R0; assumption).
  assert (Sq : d * d = u * e) by (apply sqrt_sqrt; lra).
  split; [assumption|]. split; intros H.
  - apply Rmult_lt_reg_l with d; [assumption|]. rewrite Sq. apply (Rmult_lt_compat_r e) in H; [|assumption]. lra.
  - apply Rmult_lt_reg_r with e; [assumption|]. rewrite <- Sq. apply (Rmult_lt_compat_l d) in H; [|assumption]. lra.
Qed.
