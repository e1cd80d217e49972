"""The attacker's side: the worst attack within a budget, what it costs to fool a policy, and the frontier."""

PRICE_RUNS = 60  # in each block of a price, unless given
EVALUATIONS = 160  # attacks of the adaptive family that a search tries, unless given
