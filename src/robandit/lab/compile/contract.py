"""What a loop may call and read of its parts, and with which types: the contract of game.py as the compiler sees it."""

PAIRS = (("policy", "state"), ("environment", "tables"), ("adversary", "memory"))  # a part and what it remembers
METHODS: dict[
    str, dict[str, tuple[str, tuple[str, ...]]]
] = {  # what it returns and its arguments, besides the part itself
    "policy": {
        "begin": ("none", ("state", "random")),
        "look": ("none", ("state", "float64[2]")),
        "refresh": ("none", ("state",)),
        "choose": ("choice", ("state", "random")),
        "learn": ("none", ("state", "choice", "float64", "random")),
        "defer": ("none", ("state", "choice")),
        "wants_check": ("bool", ("state", "choice")),
        "learn_verified": ("none", ("state", "choice", "float64", "random")),
        "take_back": ("none", ("state", "choice", "float64", "random")),
    },
    "environment": {
        "context": ("float64", ("tables", "float64", "float64[2]", "float64[1]")),
        "change": ("none", ("tables", "int64", "float64[1]", "random")),
        "reward": ("float64", ("tables", "int64", "float64", "float64")),
    },
    "adversary": {
        "tamper_means": ("bool", ("memory", "int64", "float64[1]", "float64[1]", "float64[1]", "random")),
        "tamper_reward": ("float64", ("memory", "int64", "float64[1]", "int64", "float64", "random")),
    },
}
# truth values and fields a loop reads
TRAITS: dict[str, tuple[str, ...]] = {
    "policy": ("explicit", "asks"),
    "environment": ("is_contextual", "changes"),
    "adversary": ("sees_draw", "watches"),
}
FIELDS: dict[str, dict[str, str]] = {
    "state": {"probabilities": "float64[1]"},
    "adversary": {"budget": "float64"},
}


def symbol(role: str, name: str) -> str:
    """What an export is called in bitcode; every other name stays inside."""
    return f"robandit_{role}_{name}"
