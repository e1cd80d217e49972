"""Where journals are stored: one contract (base.py), held by one suite over memory, SQLite and PostgreSQL."""
