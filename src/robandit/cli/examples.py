"""Examples for help and for the docs: each is a line that works as it stands; tests run those that are quick."""

EXAMPLES: dict[str, list[tuple[str, str]]] = {
    "paper claims": [("robandit paper claims c-over-delta", "one claim of the paper, its verdict and the evidence")],
    "demo": [("robandit demo", "an attacker hides a few sales: one policy falls, another stands")],
    "play": [
        ("robandit play --policy samba --policy thompson", "two policies, nine arms, no adversary"),
        (
            "robandit play --policy samba --policy ucb1 --attack flip --schedule middle --budget 300",
            "all means flipped from a quarter of the rounds on, until 300 is spent",
        ),
        ("robandit play --policy samba --means 0.02,0.03,0.05 --plot regret.png", "your own means, and a picture"),
        ("robandit play --policy ucb1 --runs 20 --runs-out runs.csv --json", "every run to a file, the rest as JSON"),
    ],
    "page": [("robandit page --out out/page", "then open out/page/index.html in a browser")],
    "replay": [
        ("robandit replay visits.csv --policy linucb --policy thompson", "on a log with features and probabilities"),
    ],
    "reproduce": [("robandit reproduce --quick", "the paper in a minute or two: out/paper-quick/report.html")],
    "study": [
        ("robandit study run my.toml", "play what is missing of a spec, then report"),
        ("robandit study status out/my", "how far it is"),
    ],
    "suite": [
        ("robandit suite run --load my_policy.py", "your policy's score card, and its row on the page"),
        ("robandit suite status", "how far it is"),
    ],
    "redteam": [
        (
            "robandit redteam --policy ucb1 --arms 3 --horizon 1e4 --budget 50 --quick",
            "attacks that usually win, a few seconds",
        ),
        ("robandit redteam --policy samba --budget 300 --plot attack.png", "a full search, and what it does over time"),
    ],
    "price": [
        (
            "robandit price --policy samba --policy ucb1 --means 0.9,0.5 --horizon 1e4",
            "what it costs to fool two policies",
        ),
        ("robandit price --policy samba --arms 9 --can add", "by an attacker who can only add rewards"),
    ],
    "forgetting": [
        (
            "robandit forgetting --horizon 1e4 --runs 6 --memory 300,1000 --plot memory.png",
            "what windows and discounts do to both prices of Thompson sampling",
        ),
        (
            "robandit forgetting --policy ucb1 --policy restart:inner=ucb1 --horizon 1e4 --runs 6",
            "policies of your own",
        ),
    ],
    "advise": [("robandit advise --means 0.02,0.03,0.05 --can add --budget 40", "against fake clicks, on your means")],
    "audit": [
        ("robandit play --policy samba --attack promote --budget 300 --log ring.journal", "a journal with known fakes"),
        ("robandit audit ring.journal --no-price", "who moved the belief"),
        ("robandit audit clicks.csv --policy thompson --source-column account --out report", "a log of any system"),
    ],
    "paper reproduce": [("robandit paper reproduce --quick", "the same as `robandit reproduce`")],
    "paper optimum": [
        ("robandit paper optimum --means 0.9,0.8 --price 1.5 --horizon 2000", "the exact worst attack at a price")
    ],
    "paper certify": [
        ("robandit paper certify --means 0.9,0.8 --out proof.json", "a bound under every attack, as a file"),
        ("robandit paper certify --check proof.json", "checked by a file that shares nothing with its maker"),
    ],
    "paper theory": [
        ("robandit paper theory steps", "which step sizes are admissible, and what corruption then costs"),
        ("robandit paper theory bounds --runs 0", "what is known of each policy"),
    ],
    "serve": [
        ("robandit serve --db sqlite:///shop.db", "on this machine; prints the address of its page"),
        ("robandit serve --db sqlite:///shop.db --host 0.0.0.0 --token-file tokens", "for others, who need a token"),
    ],
    "service serve": [("robandit service serve --db sqlite:///shop.db", "the same as `robandit serve`")],
    "service verify": [("robandit service verify sqlite:///shop.db", "is every state what its journal comes to?")],
    "service check": [
        ("robandit service check --db sqlite:///shop.db --token-file tokens", "before it goes live: what is wrong?")
    ],
    "service token": [
        ("robandit service token shop --roles decide,reward --token-file tokens", "printed once, kept as a hash")
    ],
    "service backup": [("robandit service backup kept.db --db sqlite:///shop.db", "while it serves")],
    "service restore": [("robandit service restore kept.db --db sqlite:///new.db", "with a new epoch of ids")],
    "service archive": [("robandit service archive /srv/archive --db sqlite:///shop.db", "while it serves")],
    "service forget": [("robandit service forget offers web/jane --db sqlite:///shop.db", "while it does not serve")],
    "service upgrade": [("robandit service upgrade --db sqlite:///shop.db", "in one transaction, before a new start")],
    "policies": [("robandit policies", "names, what they do, parameters, bounds")],
    "adversaries": [("robandit adversaries --wide", "every column, one line per row")],
    "environments": [("robandit environments --json", "for a program")],
    "completion": [("robandit completion bash > ~/.local/share/bash-completion/completions/robandit", "for bash")],
}
FIRST = [EXAMPLES["demo"][0], EXAMPLES["play"][0], EXAMPLES["price"][0], EXAMPLES["audit"][1], EXAMPLES["reproduce"][0]]


def example_lines(examples: list[tuple[str, str]]) -> str:
    """Examples as the end of a help text: what it does, and below it the line."""
    if not examples:
        return ""
    return "examples:\n" + "\n".join(f"  # {words}\n  {line}" for line, words in examples)
