"""Studies: a spec becomes cells, cells become stored results, results become a report."""
