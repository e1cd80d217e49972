(** The front of the potential of Theorem 4: 1/y up to theta, and from there on its tangent. It is convex, and on the
    tangent a play has no noise: only means count there. *)
From Coq Require Import Reals Lra Psatz.
Require Import Drift.
Open Scope R_scope.

Lemma over_positive : forall x d, 0 <= x -> 0 < d -> 0 <= x / d.
Proof. intros x d Hx Hd. apply Rmult_le_pos; [assumption|]. left. apply Rinv_0_lt_compat. assumption. Qed.

Section Front.
Variable theta : R.
Hypothesis theta_positive : 0 < theta.

Definition tangent (y : R) : R := 2 / theta - y / (theta * theta).
Definition phi (y : R) : R := if Rlt_dec y theta then / y else tangent y.

Lemma phi_low : forall y, y < theta -> phi y = / y.
Proof. intros y H. unfold phi. destruct (Rlt_dec y theta); lra. Qed.

Lemma phi_high : forall y, theta <= y -> phi y = tangent y.
Proof. intros y H. unfold phi. destruct (Rlt_dec y theta); lra. Qed.

Lemma reciprocal_minus_tangent : forall y, 0 < y -> / y - tangent y = (y - theta) * (y - theta) / (theta * theta * y).
Proof. intros y Hy. unfold tangent. field. lra. Qed.

Lemma tangent_below : forall y, 0 < y -> tangent y <= phi y <= / y.
Proof.
  intros y Hy. assert (D := reciprocal_minus_tangent y Hy).
  assert (0 <= (y - theta) * (y - theta) / (theta * theta * y)).
  { apply over_positive; [apply Rle_0_sqr|]. apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; lra. }
  unfold phi. destruct (Rlt_dec y theta); lra.
Qed.

(** the slope of phi at y; phi is above all its tangents *)
Definition slope (y : R) : R := if Rlt_dec y theta then - / (y * y) else - / (theta * theta).

Lemma phi_above_tangents : forall y z, 0 < y -> 0 < z -> phi y + slope y * (z - y) <= phi z.
Proof.
  intros y z Hy Hz. assert (Tz := tangent_below z Hz). unfold slope, phi at 1. destruct (Rlt_dec y theta) as [H|H].
  - destruct (Rlt_dec z theta) as [G|G].
    + rewrite (phi_low z G).
      assert (E : / z - (/ y + - / (y * y) * (z - y)) = (z - y) * (z - y) / (y * y * z)) by (field; lra).
      assert (0 <= (z - y) * (z - y) / (y * y * z)); [|lra].
      apply over_positive; [apply Rle_0_sqr|]. apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; lra.
    + rewrite (phi_high z ltac:(lra)). unfold tangent.
      (* at theta the tangent at y is below 1/theta, and from there it falls faster *)
      assert (E : 2 / theta - z / (theta * theta) - (/ y + - / (y * y) * (z - y)) =
                  (theta - y) * (theta - y) / (y * y * theta) + (z - theta) * ((theta - y) * (theta +
                    y)) / (y * y * (theta * theta))).
      { field. lra. }
      assert (0 <= (theta - y) * (theta - y) / (y * y * theta)).
      { apply over_positive; [apply Rle_0_sqr|]. apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; lra. }
      assert (0 <= (z - theta) * ((theta - y) * (theta + y)) / (y * y * (theta * theta))).
      { apply over_positive; [apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]|].
        apply Rmult_lt_0_compat; apply Rmult_lt_0_compat; lra. }
      lra.
  - replace (tangent y + - / (theta * theta) * (z - y)) with (tangent z) by (unfold tangent; field; lra). lra.
Qed.

Lemma phi_convex : forall A, 0 <= A -> below_chords (fun y => A * phi y).
Proof.
  intros A HA q d x Hq Hd Hx. set (z := q + x * d).
  assert (Hz : 0 < z) by (unfold z; destruct (Rle_dec 0 d); nra).
  assert (T1 := phi_above_tangents z q Hz Hq). assert (T2 := phi_above_tangents z (q + d) Hz Hd).
  apply (Rmult_le_compat_l (1 - x)) in T1; [|lra]. apply (Rmult_le_compat_l x) in T2; [|lra].
  assert (E : (1 - x) * (slope z * (q - z)) + x * (slope z * (q + d - z)) = 0) by (unfold z; ring).
  assert (phi z <= phi q + x * (phi (q + d) - phi q)) by lra.
  replace (A * phi q + x * (A * phi (q + d) - A * phi q)) with (A * (phi q + x * (phi (q + d) - phi q))) by ring.
  apply Rmult_le_compat_l; assumption.
Qed.

(** falling from above theta by the share t: no noise if it stays above, and else at most a factor 1 / (1 - t) *)
Lemma phi_falls : forall y t, theta <= y -> 0 <= t < 1 ->
  theta <= y * (1 - t) /\ phi (y * (1 - t)) - phi y = t * y / (theta * theta) \/
  y * (1 - t) < theta /\ phi (y * (1 - t)) - phi y <= t * y / (theta * theta) / (1 - t).
Proof.
  intros y t Hy Ht. rewrite (phi_high y Hy).
  destruct (Rlt_dec (y * (1 - t)) theta) as [H|H]; [right|left]; split; try lra.
  - rewrite (phi_low _ H). assert (P : 0 < 1 - t) by lra. unfold tangent.
    assert (E : t * y / (theta * theta) / (1 - t) - (/ (y * (1 - t)) - (2 / theta - y / (theta * theta))) =
                (y - theta) * (y + theta - 2 * (y * (1 - t))) / (theta * theta * (y * (1 - t)))) by (field; lra).
    assert (0 <= (y - theta) * (y + theta - 2 * (y * (1 - t))) / (theta * theta * (y * (1 - t)))); [|lra].
    apply over_positive; [apply Rmult_le_pos; lra|]. apply Rmult_lt_0_compat; apply Rmult_lt_0_compat; lra.
  - rewrite phi_high; [|lra]. unfold tangent. field. lra.
Qed.
End Front.
