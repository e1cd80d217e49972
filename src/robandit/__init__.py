"""robandit: bandits whose rewards cannot be trusted."""

__version__ = "0.1.0"
