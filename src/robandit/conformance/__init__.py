"""The laws every part must keep, for the project's own parts and for yours."""
