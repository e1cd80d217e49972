"""Policies for several agents who play the same arms: one file each. Round t belongs to agent t mod V."""
