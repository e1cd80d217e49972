"""Slow checks, run by `make statistics`."""
