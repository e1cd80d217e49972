"""Policies for arms with features: one file each."""
