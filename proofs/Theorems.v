(** What is proved, in full, and the axioms it rests on. docs/proofs.md says it in mathematics, lemma by lemma. *)
From Coq Require Import Reals QArith List.
Require Import Samba Play Step Drift Tail TwoArms Sharp ManyArms EveryStep Lower ManyRivals Family Agreement Examples.
Open Scope R_scope.

Check TwoArms.theorem_1.
Check TwoArms.theorem_1_budget.
Check Sharp.theorem_1_sharp.
Check ManyArms.theorem_3.
Check ManyArms.theorem_3_budget.
Check EveryStep.theorem_4.
Check EveryStep.theorem_4_budget.
Check Lower.lower_bound_two_arms.
Check ManyRivals.lower_bound.
Check ManyRivals.least_price.
Check ManyRivals.order_of_K.
Check Family.log_drift.
Check Family.harmonic_reciprocal_drift.
Check Family.reciprocal_drift.
Check Family.no_recovery.
Check Family.balanced.
Check Examples.two_arms.
Check Examples.two_arms_clean.
Check Examples.two_arms_struck.
Check Examples.two_arms_sharp.
Check Examples.nine_arms.
Check Examples.nine_arms_every_step.
Check Examples.many_rivals.
Check Agreement.learned_agrees.

Definition everything :=
  (@TwoArms.theorem_1, @TwoArms.theorem_1_budget, @Sharp.theorem_1_sharp, @ManyArms.theorem_3,
   @ManyArms.theorem_3_budget, @EveryStep.theorem_4, @EveryStep.theorem_4_budget, @Lower.lower_bound,
   @Lower.lower_bound_two_arms, @ManyRivals.lower_bound, @ManyRivals.least_price, @ManyRivals.order_of_K,
   @Family.log_drift, @Family.exponential_log_drift, @Family.harmonic_reciprocal_drift, @Family.reciprocal_drift,
   @Family.no_recovery, @Family.balanced, @Examples.two_arms, @Examples.two_arms_clean, @Examples.two_arms_struck,
   @Examples.two_arms_sharp, @Examples.nine_arms, @Examples.nine_arms_every_step, @Examples.many_rivals,
   @Agreement.learned_agrees).
Print Assumptions everything.
