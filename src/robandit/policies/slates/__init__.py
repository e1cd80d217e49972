"""Policies that show several items at once and see each one's reward: one file each."""
