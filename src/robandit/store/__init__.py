"""Results on disk: atomic, checksummed files named by what determines them."""
