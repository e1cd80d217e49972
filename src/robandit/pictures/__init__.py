"""Pictures with matplotlib: drawn for print and screen, readable without colour."""
