"""The attacker's side: the worst attack within a budget, what it costs to turn a policy, and the frontier."""
