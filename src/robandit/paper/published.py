"""What the paper prints, and what its words are called here."""

K_SWEEP = {  # its Table 3
    "samba": {6: 629.9, 8: 884.2, 10: 1054.8, 15: 1722.7, 20: 2947.4, 30: 3534.4},
    "fast-slow-aae": {6: 1473.7, 8: 2265.3, 10: 3519.8, 15: 7955.8, 20: 10269.1, 30: 12661.2},
    "barbar": {6: 2010.5, 8: 8813.9, 10: 3599.2, 15: 4800.7, 20: 8675.4, 30: 10695.7},
    "cbarbar": {6: 4189.2, 8: 6901.2, 10: 6285.2, 15: 11874.3, 20: 12668.2, 30: 14644.0},
    "ftrl-hybrid": {6: 2038.3, 8: 2839.5, 10: 3322.7, 15: 4575.6, 20: 8460.1, 30: 10189.2},
}
SECONDS = {  # its Table 2, seconds per run
    "samba": 2.2594,
    "fast-slow-aae": 1.2942,
    "barbar:scale=1": 0.7401,
    "cbarbar:scale=1": 0.7823,
    "ftrl-hybrid": 1733.3,
}
FIVE = {  # its five algorithms, under the names of its tables
    "samba": "SAMBA",
    "fast-slow-aae": "Fast-Slow",
    "barbar:scale=1": "BARBAR",
    "cbarbar:scale=1": "CBARBAR",
    "ftrl-hybrid": "OMD",
}
BASELINES = [name for name in FIVE if name != "samba"]
SCHEMES = ("start", "even", "middle", "random")  # its corruption schemes 1 to 4
READINGS = ("invert-rounds", "lift-others-rounds", "flip-cost", "invert-cost", "lift-others-cost")  # of the corruption
IN_BLOCKS = {name: f"{name},pulls=blocks" for name in ("barbar:scale=1", "cbarbar:scale=1")}  # "selecting n_a(m) times"


def baselines_of(grid: str) -> list[str]:
    """The paper's baselines as a grid plays them: where it reads the text as blocks, two of them pull arm by arm."""
    return [IN_BLOCKS.get(name, name) for name in BASELINES] if grid.endswith("-blocks") else BASELINES
