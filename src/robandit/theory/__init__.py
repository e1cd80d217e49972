"""Theory that can be run."""
