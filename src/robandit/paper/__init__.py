"""The corrupted-bandits paper, played again: its claims, how each is weighed, and the page that tells."""
