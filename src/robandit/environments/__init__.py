"""Environments: where rewards come from, one file each."""
