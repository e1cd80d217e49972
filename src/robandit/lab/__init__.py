"""The lab: compiled simulation of policies against environments and adversaries."""
