"""Reports: sections, tables and pictures become one page that needs no network, with its files beside it."""
