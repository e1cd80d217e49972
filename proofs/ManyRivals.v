(** The price of a unit of corruption grows with the number of arms. All rivals are alike: means r1 and r2, K - 1 times.
    The adversary exchanges r1 and r2 in every round in which the best arm leads, which costs the gap, and does nothing
    else. Then E[regret] >= (u / (2 v)) E[cost] - const, and u / (2 v) goes to (K - 1) / 2 with the step. So no bound
    f(T) + b E[cost] with f(T) = o(T) has a b below u / (2 v). *)
From Coq Require Import Reals Lra Lia Psatz Arith List.
Require Import Samba Sums Play Step Drift Tail Bound.
Import ListNotations.
Open Scope R_scope.

Section ManyRivals.
Variables arms best : nat.
Variables alpha r1 r2 : R.
Let K := INR arms.
Let gap := r1 - r2.
Hypothesis two : (2 <= arms)%nat.
Hypothesis best_arm : (best < arms)%nat.
Hypothesis rewards : 0 <= r2 < r1 /\ r1 <= 1.
Hypothesis step : 0 < alpha < 1.

Definition true_mean (a : nat) : R := if a =? best then r1 else r2.
Definition exchanged (a : nat) : R := if a =? best then r2 else r1.

Let some_arms : (0 < arms)%nat. Proof. lia. Qed.
Let learn := learn arms alpha.
Let keeps p a x (H : valid arms p) Ha Hx : valid arms (learn p a x) :=
  learn_valid arms alpha some_arms step p H a x Ha Hx.

(** the probabilities after a history, the newest round first: the adversary knows them *)
Fixpoint replay (h : history) : nat -> R :=
  match h with
  | [] => uniform arms
  | (a, x) :: rest => learn (replay rest) a x
  end.

Definition strike : move := {| shown := fun a => bernoulli (exchanged a); cost := gap |}.
Definition idle : move := {| shown := fun a => bernoulli (true_mean a); cost := 0 |}.
Definition exchange : adversary := fun h => if leader arms (replay h) =? best then strike else idle.

Lemma exchange_is_lawful : always_lawful arms true_mean is_bernoulli exchange.
Proof.
  intros h a _. unfold exchange. destruct (leader arms (replay h) =? best); split.
  - exists (exchanged a). split; [unfold exchanged; destruct (a =? best); lra|reflexivity].
  - unfold strike, mean_reward, exchanged, true_mean, gap. simpl. destruct (a =? best); lra.
  - exists (true_mean a). split; [unfold true_mean; destruct (a =? best); lra|reflexivity].
  - unfold idle, mean_reward. simpl. lra.
Qed.

(** ** One round *)
(** how far the rivals are forgotten: the sum of 1/p over them *)
Definition inverses (p : nat -> R) : R := sum arms (but best (fun i => / p i)).
Definition u : R := (K - 1) * (alpha * (gap - alpha * (r1 + r2)) / (1 - alpha * alpha)).
Definition v : R := (K - 2) * (2 * (alpha * alpha) * r2 / (1 - alpha * alpha)) + alpha * gap / (1 - alpha) +
  alpha * alpha * r2 * K * (K - 1) / (1 - alpha).

Let K_at_least_2 : 2 <= K.
Proof. unfold K. replace 2 with (INR 2) by (simpl; ring). apply le_INR. assumption. Qed.

Section State.
Variable p : nat -> R.
Hypothesis p_valid : valid arms p.
Let l := leader arms p.
Let front i := front arms i alpha (fun y => 1 / y) p.

Lemma inverses_after : forall mu m, (forall a, 0 <= mu a <= 1) -> shown m = (fun a => bernoulli (mu a)) ->
  after arms learn inverses p m = inverses p + sum arms (but best (fun i => front i mu)).
Proof.
  intros mu m M E. unfold after. rewrite E.
  rewrite (sum_ext arms _ (fun a => inverses p * p a + p a * mu a *
    sum arms (but best (fun i => 1 / (p i + shift arms alpha p l a i) - 1 / p i)))).
  - rewrite sum_plus, sum_scale, (proj2 p_valid), Rmult_1_r. f_equal.
    rewrite but_swap. apply but_ext. intros i _ _.
    unfold front, Drift.front. reflexivity.
  - intros a Ha.
    assert (Ix : forall x, inverses (learn p a x) =
      sum arms (but best (fun i => / (p i + x * shift arms alpha p l a i)))).
    { intros x. apply but_ext. intros i Hi _. unfold learn.
      rewrite (learn_line arms alpha some_arms p p_valid a x i Ha Hi). reflexivity. }
    unfold bernoulli. simpl. rewrite !Ix.
    rewrite (but_ext arms best (fun i => / (p i + 0 * shift arms alpha p l a i)) (fun i => / p i));
      [|intros; f_equal; ring].
    rewrite (but_ext arms best (fun i => / (p i + 1 * shift arms alpha p l a i))
      (fun i => (1 / (p i + shift arms alpha p l a i) - 1 / p i) + / p i)).
    + rewrite but_plus. unfold inverses. ring.
    + intros i _ _. rewrite Rmult_1_l. unfold Rdiv. ring.
Qed.

(** the best arm leads and is struck: every rival gains *)
Lemma inverses_struck : l = best -> after arms learn inverses p strike <= inverses p - u.
Proof.
  intros E. rewrite (inverses_after exchanged strike);
    [|intros a; unfold exchanged; destruct (a =? best); lra|reflexivity].
  assert (S : sum arms (but best (fun i => front i exchanged)) <=
    sum arms (but best (fun _ => - (alpha * (gap - alpha * (r1 + r2)) / (1 - alpha * alpha))))).
  { apply but_le. intros i Hi N. unfold front.
    rewrite (reciprocal_front_wrong_leads arms i alpha 1 Hi step p p_valid exchanged); [|fold l; rewrite E; auto].
    fold l. rewrite E. unfold exchanged. rewrite Nat.eqb_refl, (proj2 (Nat.eqb_neq i best) N).
    assert (R := ratio_range arms some_arms p p_valid i Hi). fold l in R. rewrite E in R.
    assert (P : r2 / (1 - alpha * (p i / p best)) <= r2 / (1 - alpha)).
    { unfold Rdiv at 1 3. apply Rmult_le_compat_l; [lra|]. apply inv_le; [lra|].
      assert (Q := part_le alpha (p i / p best)). lra. }
    replace (- (alpha * (gap - alpha * (r1 + r2)) / (1 - alpha * alpha)))
      with (alpha * 1 * (r2 / (1 - alpha) - r1 / (1 + alpha))) by (unfold gap; field; nra).
    apply Rmult_le_compat_l; lra. }
  rewrite but_const in S; [|assumption]. fold K in S. unfold u. lra.
Qed.

(** a rival leads and nothing is done: little is forgotten *)
Lemma inverses_idle : l <> best -> after arms learn inverses p idle <= inverses p + v.
Proof.
  intros N. rewrite (inverses_after true_mean idle);
    [|intros a; unfold true_mean; destruct (a =? best); lra|reflexivity].
  assert (l_arm : (l < arms)%nat) by apply leader_is_arm, some_arms.
  assert (I1 : 0 < / (1 - alpha)) by (apply Rinv_0_lt_compat; lra).
  rewrite (but_out arms best _ l l_arm N).
  assert (Ml : true_mean l = r2) by (unfold true_mean; rewrite (proj2 (Nat.eqb_neq l best) N); reflexivity).
  assert (Others : sum arms (but l (but best (fun i => front i true_mean))) <=
    (K - 2) * (2 * (alpha * alpha) * r2 / (1 - alpha * alpha))).
  { apply Rle_trans with (sum arms (but l (but best (fun _ => 2 * (alpha * alpha) * r2 / (1 - alpha * alpha))))).
    - apply but_le. intros i Hi Ni. unfold but. destruct (Nat.eqb_spec i best) as [F|F]; [lra|]. unfold front.
      rewrite (reciprocal_front_wrong_leads arms i alpha 1 Hi step p p_valid true_mean); [|fold l; auto].
      fold l. rewrite Ml. unfold true_mean. rewrite (proj2 (Nat.eqb_neq i best) F).
      assert (R := ratio_range arms some_arms p p_valid i Hi). fold l in R.
      assert (P : r2 / (1 - alpha * (p i / p l)) <= r2 / (1 - alpha)).
      { unfold Rdiv at 1 3. apply Rmult_le_compat_l; [lra|]. apply inv_le; [lra|].
        assert (Q := part_le alpha (p i / p l)). lra. }
      replace (2 * (alpha * alpha) * r2 / (1 - alpha * alpha))
        with (alpha * 1 * (r2 / (1 - alpha) - r2 / (1 + alpha))) by (field; nra).
      apply Rmult_le_compat_l; lra.
    - assert (C := but_const arms best (2 * (alpha * alpha) * r2 / (1 - alpha * alpha)) best_arm).
      rewrite (but_out arms best _ l l_arm N) in C. fold K in C. cbv beta in C. lra. }
  assert (Lead : front l true_mean <= alpha * gap / (1 - alpha) + alpha * alpha * r2 * K * (K - 1) / (1 - alpha)).
  { unfold front. rewrite (reciprocal_front_best_leads arms l alpha 1 l_arm step p p_valid true_mean eq_refl), Ml.
    set (S := contest arms p l).
    assert (C := contest_range arms some_arms p p_valid). fold l K in C. fold S in C.
    assert (H : sum arms (but l (fun a => p a / p l * (p a / p l) *
        (true_mean a / (1 - alpha * (p a / p l)) - r2 / (1 + alpha * S)))) <=
      sum arms (but l (fun a => alpha * r2 * K / (1 - alpha) + (if a =? best then gap / (1 - alpha) else 0)))).
    { apply but_le. intros a Ha Na.
      assert (R := ratio_range arms some_arms p p_valid a Ha). fold l in R. set (s := p a / p l) in *.
      assert (Q := part_le alpha s ltac:(lra) ltac:(lra)).
      assert (S1 : alpha * S <= alpha * (K - 1)) by (apply Rmult_le_compat_l; lra).
      assert (S0 : 0 <= alpha * S) by (apply Rmult_le_pos; lra).
      assert (V : 1 - alpha * S <= / (1 + alpha * S)).
      { apply Rmult_le_reg_r with (1 + alpha * S); [lra|]. rewrite Rinv_l; [|lra]. nra. }
      assert (U : 0 < / (1 - alpha * s) <= / (1 - alpha)).
      { split; [apply Rinv_0_lt_compat; lra|apply inv_le; lra]. }
      assert (T : 0 <= true_mean a - r2 <= (if a =? best then gap else 0)).
      { unfold true_mean, gap. destruct (a =? best); lra. }
      assert (X : true_mean a / (1 - alpha * s) - r2 / (1 + alpha * S) <=
        alpha * r2 * K / (1 - alpha) + (if a =? best then gap / (1 - alpha) else 0)).
      { apply Rle_trans with ((if a =? best then gap else 0) * / (1 - alpha) + r2 * (/ (1 - alpha) - (1 - alpha * S))).
        - unfold Rdiv.
          assert ((true_mean a - r2) * / (1 - alpha * s) <= (if a =? best then gap else 0) * / (1 - alpha)).
          { apply Rmult_le_compat; lra. }
          assert (r2 * / (1 - alpha * s) <= r2 * / (1 - alpha)) by (apply Rmult_le_compat_l; lra).
          assert (r2 * (1 - alpha * S) <= r2 * / (1 + alpha * S)) by (apply Rmult_le_compat_l; lra). lra.
        - assert (Y : / (1 - alpha) - (1 - alpha * S) <= alpha * K * / (1 - alpha)).
          { apply Rmult_le_reg_r with (1 - alpha); [lra|].
            replace ((/ (1 - alpha) - (1 - alpha * S)) * (1 - alpha)) with (1 - (1 - alpha * S) * (1 - alpha))
              by (field; lra).
            replace (alpha * K * / (1 - alpha) * (1 - alpha)) with (alpha * K) by (field; lra). nra. }
          assert (r2 * (/ (1 - alpha) - (1 - alpha * S)) <= r2 * (alpha * K * / (1 - alpha)))
            by (apply Rmult_le_compat_l; lra).
          unfold Rdiv. destruct (a =? best); lra. }
      assert (W : 0 <= alpha * r2 * K / (1 - alpha) + (if a =? best then gap / (1 - alpha) else 0)).
      { apply Rplus_le_le_0_compat.
        - unfold Rdiv. repeat apply Rmult_le_pos; lra.
        - destruct (a =? best); [|lra]. unfold Rdiv, gap. apply Rmult_le_pos; lra. }
      set (B := alpha * r2 * K / (1 - alpha) + (if a =? best then gap / (1 - alpha) else 0)) in *.
      assert (0 <= s * s <= 1) by nra.
      apply Rle_trans with (s * s * B); [apply Rmult_le_compat_l; lra|]. nra. }
    rewrite but_plus, but_const in H; [|assumption].
    rewrite (but_out arms l (fun a => if a =? best then gap / (1 - alpha) else 0) best best_arm) in H; [|auto].
    rewrite Nat.eqb_refl in H.
    rewrite (but_zero arms best (but l (fun a => if a =? best then gap / (1 - alpha) else 0))) in H.
    2:{ intros i _ Ni. unfold but. rewrite (proj2 (Nat.eqb_neq i best) Ni). destruct (i =? l); reflexivity. }
    fold K in H. apply (Rmult_le_compat_l (alpha * 1)) in H; [|lra].
    apply Rle_trans with (1 := H). right. field. lra. }
  unfold v. lra.
Qed.

Lemma inverses_positive : 0 <= inverses p.
Proof. apply but_nonneg. intros i Hi _. left. apply Rinv_0_lt_compat, p_valid, Hi. Qed.

(** not leading, the best arm has at most one half *)
Lemma half : l <> best -> p best <= 1 / 2.
Proof.
  intros N. assert (l_arm : (l < arms)%nat) by apply leader_is_arm, some_arms.
  assert (L := leader_leads arms some_arms p best best_arm). fold l in L.
  assert (S := proj2 p_valid). rewrite (sum_out arms p best best_arm), (but_out arms best p l l_arm N) in S.
  assert (0 <= sum arms (but l (but best p))); [|lra].
  apply but_nonneg. intros i Hi _. unfold but. destruct (i =? best); [lra|]. left. apply p_valid, Hi.
Qed.

Lemma regret_is : forall m, regret arms best true_mean p m = gap * (1 - p best).
Proof.
  intros m. unfold regret. rewrite (sum_out arms _ best best_arm).
  rewrite (but_ext arms best _ (fun a => gap * p a)).
  - rewrite but_scale. assert (S := proj2 p_valid). rewrite (sum_out arms p best best_arm) in S.
    unfold true_mean. rewrite Nat.eqb_refl. replace (sum arms (but best p)) with (1 - p best) by lra. ring.
  - intros a _ N. unfold true_mean, gap. rewrite Nat.eqb_refl, (proj2 (Nat.eqb_neq a best) N). reflexivity.
Qed.
End State.

(** ** The play *)
Definition E_regret (adv : adversary) (T : nat) : R := E_sum arms learn (regret arms best true_mean) adv T.
Definition E_cost (adv : adversary) (T : nat) : R := E_sum arms learn (fun _ m => cost m) adv T.

Lemma replay_valid : forall h, (forall a x, In (a, x) h -> (a < arms)%nat /\ 0 <= x <= 1) -> valid arms (replay h).
Proof.
  induction h as [|[a x] h IH]; intros H; [apply uniform_valid, some_arms|]. simpl.
  destruct (H a x (or_introl eq_refl)). apply keeps; auto. apply IH. intros b y I. apply H. right. exact I.
Qed.

(** an inequality about one round, wherever this adversary brings the play, bounds the play *)
Lemma along_the_play : forall (g : (nat -> R) -> move -> R) V,
  (forall h, valid arms (replay h) -> g (replay h) (exchange h) + after arms learn V (replay h) (exchange h)
    <= V (replay h)) ->
  forall T h, valid arms (replay h) -> expected arms learn g V exchange T h (replay h) <= V (replay h).
Proof.
  intros g V One. induction T as [|n IH]; intros h Hp; [simpl; lra|]. cbn [expected].
  apply Rle_trans with (2 := One h Hp). apply Rplus_le_compat_l. unfold after. apply sum_le. intros a Ha.
  apply Rmult_le_compat_l; [left; apply Hp, Ha|]. apply mean_le.
  - apply bernoulli_is_law, (exchange_is_lawful h). exact Ha.
  - intros x Hx. apply (IH ((a, x) :: h)). simpl. apply keeps; auto.
Qed.

(** what it pays: gap in a struck round, and a share v / (u + v) of the rounds can be struck *)
Theorem exchange_costs : forall T, (u + v) * E_cost exchange T <= gap * (v * INR T + K * (K - 1)).
Proof.
  intros T. assert (U := uniform_valid arms some_arms). assert (G : 0 < gap) by (unfold gap; lra).
  assert (H := along_the_play (fun _ m => - v + (u + v) / gap * cost m) inverses).
  specialize (H ltac:(intros h Hp; unfold exchange; destruct (Nat.eqb_spec (leader arms (replay h)) best) as [E|N];
    [assert (S := inverses_struck (replay h) Hp E); unfold strike at 1; simpl cost;
      replace ((u + v) / gap * gap) with (u + v) by (field; lra); lra
    |assert (S := inverses_idle (replay h) Hp N); simpl; lra]) T [] U).
  simpl replay in H.
  assert (Start : inverses (uniform arms) = K * (K - 1)).
  { unfold inverses, uniform. rewrite but_const; [|assumption]. rewrite Rinv_inv. fold K. ring. }
  rewrite Start, expected_split in H.
  assert (End : 0 <= expected arms learn nothing inverses exchange T [] (uniform arms)).
  { rewrite <- (expected_const arms learn true_mean is_bernoulli bernoulli_is_law keeps 0 exchange exchange_is_lawful
      T [] (uniform arms) U).
    apply (expected_le arms learn true_mean is_bernoulli bernoulli_is_law keeps); auto.
    - apply exchange_is_lawful.
    - intros. lra.
    - intros q Hq. apply inverses_positive, Hq. }
  assert (Lin : expected arms learn (fun _ m => - v + (u + v) / gap * cost m) nought exchange T [] (uniform arms) =
    - v * INR T + (u + v) / gap * E_cost exchange T).
  { rewrite (expected_same arms learn _ (fun q m => (fun _ _ => - v) q m + (u + v) / gap * (fun _ m => cost m) q m) _
      (fun q => nought q + (u + v) / gap * nought q)); [|reflexivity|intros; unfold nought; ring].
    rewrite expected_linear. fold (E_sum arms learn (fun _ m => cost m) exchange T). fold (E_cost exchange T).
    f_equal. assert (L := exchange_is_lawful).
    cut (forall n h p, valid arms p ->
      expected arms learn (fun _ _ => - v) nought exchange n h p = - v * INR n).
    { intros C. apply C, uniform_valid, some_arms. }
    induction n as [|n IH]; intros h p Hp; [simpl; unfold nought; ring|]. rewrite S_INR. cbn [expected].
    rewrite (sum_ext arms _ (fun a => - v * INR n * p a)).
    - rewrite sum_scale, (proj2 Hp). ring.
    - intros a Ha. assert (D : is_law (shown (exchange h) a)) by (apply bernoulli_is_law, (L h), Ha).
      rewrite (mean_eq _ (fun _ => - v * INR n) _ D), mean_const; [ring|exact D|]. intros x Hx. apply IH, keeps; auto. }
  rewrite Lin in H.
  assert (H' : (u + v) / gap * E_cost exchange T <= v * INR T + K * (K - 1)) by lra.
  apply (Rmult_le_compat_l gap) in H'; [|lra].
  replace (gap * ((u + v) / gap * E_cost exchange T)) with ((u + v) * E_cost exchange T) in H' by (field; lra).
  exact H'.
Qed.

(** what it causes: half the gap in a round that is not struck *)
Theorem exchange_harms : forall T, gap * INR T - E_cost exchange T <= 2 * E_regret exchange T.
Proof.
  intros T. assert (G : 0 < gap) by (unfold gap; lra).
  cut (forall n h, valid arms (replay h) ->
    gap * INR n <= expected arms learn (fun p m => cost m + 2 * regret arms best true_mean p m) nought exchange n h
      (replay h)).
  { intros C. assert (H := C T [] (uniform_valid arms some_arms)). simpl replay in H.
    rewrite (expected_same arms learn _
      (fun p m => (fun _ m => cost m) p m + 2 * regret arms best true_mean p m) _
      (fun q => nought q + 2 * nought q)) in H;
      [|reflexivity|intros; unfold nought; ring].
    rewrite expected_linear in H. unfold E_cost, E_regret, E_sum. lra. }
  induction n as [|n IH]; intros h Hp; [simpl; unfold nought; lra|]. rewrite S_INR. cbn [expected].
  assert (Here : gap <= cost (exchange h) + 2 * regret arms best true_mean (replay h) (exchange h)).
  { rewrite regret_is; [|assumption]. assert (P1 := probability_below_one arms (replay h) best Hp best_arm).
    unfold exchange. destruct (Nat.eqb_spec (leader arms (replay h)) best) as [E|N]; simpl.
    - assert (0 <= gap * (1 - replay h best)) by (apply Rmult_le_pos; lra). lra.
    - assert (Q := half (replay h) Hp N). assert (gap * (1 / 2) <= gap * (1 - replay h best)) by
        (apply Rmult_le_compat_l; lra). lra. }
  assert (Later : gap * INR n <= sum arms (fun a => replay h a * mean (fun x => expected arms learn
    (fun p m => cost m + 2 * regret arms best true_mean p m) nought exchange n ((a, x) :: h)
      (learn (replay h) a x)) (shown (exchange h) a))).
  { apply Rle_trans with (sum arms (fun a => gap * INR n * replay h a)).
    - rewrite sum_scale, (proj2 Hp). lra.
    - apply sum_le. intros a Ha. rewrite Rmult_comm. apply Rmult_le_compat_l; [left; apply Hp, Ha|].
      assert (D : is_law (shown (exchange h) a)) by (apply bernoulli_is_law, (exchange_is_lawful h), Ha).
      rewrite <- (mean_const (gap * INR n) _ D). apply mean_le; [exact D|]. intros x Hx.
      apply (IH ((a, x) :: h)). simpl. apply keeps; auto. }
  lra.
Qed.

Lemma v_positive : 0 < v.
Proof.
  assert (K2 := K_at_least_2). assert (G : 0 < gap) by (unfold gap; lra).
  assert (0 < 1 - alpha * alpha) by nra. assert (0 <= alpha * alpha) by nra. unfold v.
  assert (0 <= (K - 2) * (2 * (alpha * alpha) * r2 / (1 - alpha * alpha))).
  { apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. left. apply Rinv_0_lt_compat. lra. }
  assert (0 < alpha * gap / (1 - alpha)) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|lra]).
  assert (0 <= alpha * alpha * r2 * K * (K - 1) / (1 - alpha)).
  { apply Rmult_le_pos; [repeat apply Rmult_le_pos; lra|]. left. apply Rinv_0_lt_compat. lra. }
  lra.
Qed.

(** regret for what is paid, at every T *)
Theorem lower_bound : forall T,
  u / (2 * v) * E_cost exchange T - gap * K * (K - 1) / (2 * v) <= E_regret exchange T.
Proof.
  intros T. assert (V := v_positive). assert (C := exchange_costs T). assert (H := exchange_harms T).
  apply Rmult_le_reg_l with (2 * v); [lra|].
  replace (2 * v * (u / (2 * v) * E_cost exchange T - gap * K * (K - 1) / (2 * v)))
    with (u * E_cost exchange T - gap * K * (K - 1)) by (field; lra).
  apply (Rmult_le_compat_l v) in H; lra.
Qed.

(** so no bound f(T) + b E[cost] with f(T) = o(T) has a smaller b *)
Theorem least_price : forall f b, 0 <= b ->
  (forall adv T, always_lawful arms true_mean is_bernoulli adv -> E_regret adv T <= f T + b * E_cost adv T) ->
  (forall eps, 0 < eps -> exists N, forall T, (N <= T)%nat -> f T <= eps * INR T) ->
  u / (2 * v) <= b.
Proof.
  intros f b Hb Bound Small. assert (V := v_positive). assert (G : 0 < gap) by (unfold gap; lra).
  destruct (Rle_dec (u / (2 * v)) b) as [|Less]; [assumption|exfalso].
  assert (U : 2 * v * b < u).
  { apply Rnot_le_lt in Less. apply (Rmult_lt_compat_l (2 * v)) in Less; [|lra].
    replace (2 * v * (u / (2 * v))) with u in Less by (field; lra). exact Less. }
  assert (Up : 0 < u) by (assert (0 <= 2 * v * b) by (apply Rmult_le_pos; lra); lra).
  (* regret less b times cost grows at least as slope * T - const *)
  set (slope := gap * (u - 2 * v * b) / (2 * (u + v))). set (const := (1 + 2 * b) * gap * K * (K - 1) / (2 * (u + v))).
  assert (Slope : 0 < slope) by (unfold slope; apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|lra]).
  assert (Grows : forall T, slope * INR T - const <= f T).
  { intros T. assert (C := exchange_costs T). assert (H := exchange_harms T).
    assert (B := Bound exchange T exchange_is_lawful).
    apply Rmult_le_reg_l with (2 * (u + v)); [lra|].
    replace (2 * (u + v) * (slope * INR T - const))
      with (gap * (u - 2 * v * b) * INR T - (1 + 2 * b) * gap * K * (K - 1)) by (unfold slope, const; field; lra).
    assert (D : gap * INR T - (1 + 2 * b) * E_cost exchange T <= 2 * f T) by lra.
    apply (Rmult_le_compat_l (u + v)) in D; [|lra]. apply (Rmult_le_compat_l (1 + 2 * b)) in C; lra. }
  destruct (Small (slope / 2) ltac:(lra)) as [N HN].
  assert (Cp : 0 <= const).
  { unfold const. assert (K2 := K_at_least_2). apply Rmult_le_pos; [repeat apply Rmult_le_pos; lra|].
    left. apply Rinv_0_lt_compat. lra. }
  assert (Mp : 0 < 2 * const / slope + 1).
  { assert (0 <= 2 * const / slope); [|lra]. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat, Slope. }
  destruct (archimed_cor1 (/ (2 * const / slope + 1)) (Rinv_0_lt_compat _ Mp)) as [M [HM M0]].
  assert (Mn : 0 < INR M) by (apply lt_0_INR, M0).
  apply Rinv_lt_contravar in HM; [|apply Rmult_lt_0_compat; apply Rinv_0_lt_compat; assumption].
  rewrite !Rinv_inv in HM.
  set (T := Nat.max N M). assert (A1 := HN T ltac:(unfold T; lia)). assert (A2 := Grows T).
  assert (A3 : INR M <= INR T) by (apply le_INR; unfold T; lia).
  assert (A4 : slope * (2 * const / slope + 1) < slope * INR T) by (apply Rmult_lt_compat_l; lra).
  replace (slope * (2 * const / slope + 1)) with (2 * const + slope) in A4 by (field; lra). lra.
Qed.

(** and that is nearly (K - 1) / 2 for small steps; rho = alpha r2 / gap *)
Theorem order_of_K : (K - 1) / 2 * (1 - 2 * alpha - 2 * (K * K - 1) * (alpha * r2 / gap)) <= u / (2 * v).
Proof.
  assert (V := v_positive). assert (K2 := K_at_least_2). assert (G : 0 < gap) by (unfold gap; lra).
  assert (A2 : 0 < 1 - alpha * alpha) by nra.
  set (N := gap - alpha * (r1 + r2)).
  set (D := gap + alpha * (2 * (K - 2) * r2 + gap + (1 + alpha) * (K * (K - 1)) * r2)).
  assert (Ev : v = alpha * D / (1 - alpha * alpha)) by (unfold v, D; field; nra).
  assert (Dp : 0 < D).
  { apply Rmult_lt_reg_l with (alpha / (1 - alpha * alpha)); [apply Rdiv_lt_0_compat; lra|].
    rewrite Rmult_0_r. replace (alpha / (1 - alpha * alpha) * D) with v by (rewrite Ev; field; lra). exact V. }
  replace (u / (2 * v)) with ((K - 1) / 2 * (N / D)) by (rewrite Ev; unfold u, N; field; lra).
  apply Rmult_le_compat_l; [lra|].
  apply Rmult_le_reg_r with (gap * D); [apply Rmult_lt_0_compat; assumption|].
  replace (N / D * (gap * D)) with (N * gap) by (field; lra).
  set (w := r1 + (K * K - 2) * r2).
  replace ((1 - 2 * alpha - 2 * (K * K - 1) * (alpha * r2 / gap)) * (gap * D)) with ((gap - 2 * alpha * w) * D)
    by (unfold w, gap; field; unfold gap in G; lra).
  (* N >= gap - alpha x and D = gap + alpha y with x + y <= 2 w *)
  set (x := r1 + r2). set (y := 2 * (K - 2) * r2 + gap + (1 + alpha) * (K * (K - 1)) * r2).
  assert (KK : 0 <= K * (K - 1) * r2) by (repeat apply Rmult_le_pos; lra).
  assert (Kr : 0 <= (K - 2) * r2) by (apply Rmult_le_pos; lra).
  assert (aK : alpha * (K * (K - 1) * r2) <= 1 * (K * (K - 1) * r2)) by (apply Rmult_le_compat_r; lra).
  assert (aK0 : 0 <= alpha * (K * (K - 1) * r2)) by (apply Rmult_le_pos; lra).
  assert (Y : 0 <= y) by (unfold y; lra).
  assert (XY : x + y <= 2 * w) by (unfold x, y, w, gap; lra).
  assert (X : 0 <= x) by (unfold x; lra).
  change N with (gap - alpha * x). change D with (gap + alpha * y).
  assert (alpha * gap * (x + y) <= alpha * gap * (2 * w)) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]).
  assert (0 <= alpha * alpha * (w * y)) by (repeat apply Rmult_le_pos; lra). nra.
Qed.
End ManyRivals.
