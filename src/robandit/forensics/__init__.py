"""Forensics: what a log says about the sources behind it, and what the log without some of them would have said."""
