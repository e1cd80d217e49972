"""Where journals are kept: one contract (base.py), held by one suite over memory, SQLite and PostgreSQL."""
