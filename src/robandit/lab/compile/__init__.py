"""The only place that knows numba: plain parts in, compiled round loops out."""
