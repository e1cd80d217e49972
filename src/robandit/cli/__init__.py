"""The command `robandit`: thin, parse, call, print."""
