"""A campaign against the real service: load, faults at random times, and a check of everything it acknowledged."""
