"""Studies that come with the package, one TOML file a question."""
