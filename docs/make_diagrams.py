"""Draws the diagrams of the docs as SVG that follows the reader's light or dark mode: `python docs/make_diagrams.py`.

They are 420 pixels wide, so that a phone shows them without shrinking the letters.
"""

from pathlib import Path
from xml.sax.saxutils import escape

FOLDER = Path(__file__).parent / "pictures"
WIDTH, STEP = 420, 74
STYLE = """
  :root { --ink: #1c1c1c; --soft: #5a5a5a; --box: #f4f6f8; --line: #8a94a0; --attack: #b3261e; --good: #0b6e4f; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #ececec; --soft: #b4b4b4; --box: #22272e; --line: #7d8794; --attack: #ff8a80; --good: #6fd3ad; }
  }
  text { font: 14px system-ui, sans-serif; fill: var(--ink); }
  .small { font-size: 12.5px; fill: var(--soft); }
  .name { font-weight: 600; }
  .box { fill: var(--box); stroke: var(--line); }
  .arrow { stroke: var(--line); stroke-width: 1.6; fill: none; marker-end: url(#head); }
  .head { fill: var(--line); }
  .attack, .attack text { stroke: var(--attack); } .attack text { fill: var(--attack); stroke: none; }
  .attack .box { stroke: var(--attack); stroke-dasharray: 5 3; }
  .back { stroke: var(--good); } .backtext { fill: var(--good); }
"""


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    """Returns one line of words."""
    return f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def box(y: float, name: str, words: str, left: int = 20, width: int = 290) -> list[str]:
    """Returns a box with a name and what happens there."""
    return [
        f'<rect class="box" x="{left}" y="{y}" width="{width}" height="52" rx="6"/>',
        text(left + 12, y + 21, name, "name"),
        text(left + 12, y + 40, words, "small"),
    ]


def arrow(*points: tuple[float, float], kind: str = "") -> str:
    """Returns an arrow along some points."""
    path = " L".join(f"{x} {y}" for x, y in points)
    return f'<path class="arrow {kind}" d="M{path}"/>'


def diagram(height: int, title: str, description: str, parts: list[str]) -> str:
    """Returns a whole picture."""
    head = '<marker id="head" markerWidth="9" markerHeight="8" refX="8" refY="4" orient="auto">'
    marker = f'<defs>{head}<path class="head" d="M0 0 L9 4 L0 8 z"/></marker></defs>'
    begin = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    names = f'role="img" aria-labelledby="title description">\n<title id="title">{escape(title)}</title>'
    words = f'<desc id="description">{escape(description)}</desc>'
    return "\n".join([f"{begin} {names}", words, f"<style>{STYLE}</style>", marker, *parts, "</svg>"]) + "\n"


def life_of_a_decision() -> str:
    """Returns the picture of a decision: decide, journal, reward, audit, retract, and back."""
    steps = [
        ("decide", "an arm is drawn, with its probability"),
        ("journal", "the line is on the disk before the answer"),
        ("reward", "a source reports; caps and holds apply"),
        ("audit", "which sources moved the belief?"),
        ("retract or quarantine", "replay the journal without them"),
    ]
    parts: list[str] = []
    for place, (name, words) in enumerate(steps):
        y = 16 + place * STEP
        parts += box(y, name, words)
        if place:
            parts.append(arrow((165, y - STEP + 52), (165, y)))
    last = 16 + (len(steps) - 1) * STEP + 26
    parts.append(arrow((310, last), (372, last), (372, 42), (312, 42), kind="back"))
    words = text(0, 0, "the state without the lie", "small backtext", "middle")
    parts.append(f'<g transform="translate(392 {last / 2 + 20}) rotate(90)">{words}</g>')
    description = (
        "A decision is journalled before it is answered; rewards are journalled too; an audit of the journal names "
    )
    description += "sources; a replay without them gives the state that decides next."
    return diagram(16 + len(steps) * STEP, "The life of a decision", description, parts)


def threat_models() -> str:
    """Returns the picture of one round, and where each attacker stands in it."""
    steps = [
        ("the means", "what each arm pays in this round", False),
        ("threat model A", "the attacker changes means, before the draw", True),
        ("the policy draws an arm", "from its probabilities p(t)", False),
        ("the reward", "of the drawn arm", False),
        ("threat model B", "the attacker sees both and changes the reward", True),
        ("the policy learns", "from the reward it receives", False),
    ]
    parts: list[str] = []
    for place, (name, words, is_attack) in enumerate(steps):
        y = 16 + place * STEP
        step = box(y, name, words, left=50 if is_attack else 20, width=350 if is_attack else 290)
        parts += ['<g class="attack">', *step, "</g>"] if is_attack else step
        if place:
            parts.append(arrow((165, y - STEP + 52), (165, y)))
    description = (
        "In a round the means come first, then the attacker of model A, then the draw of an arm, its reward, the "
    )
    description += "attacker of model B, and what the policy learns."
    return diagram(16 + len(steps) * STEP, "One round, and where each attacker stands", description, parts)


if __name__ == "__main__":
    (FOLDER / "decision-life.svg").write_text(life_of_a_decision())
    (FOLDER / "threat-models.svg").write_text(threat_models())
