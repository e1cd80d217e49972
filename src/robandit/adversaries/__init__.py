"""Adversaries: attacks say what the means become, schedules say when; one budget pays for both."""
