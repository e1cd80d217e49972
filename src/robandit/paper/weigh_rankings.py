"""Claims about who is lowest: paired differences to every rival, Student and Holm behind each word."""

from collections.abc import Mapping, Sequence
from typing import Any

from robandit.estimates import Estimate, estimate_difference
from robandit.paper.published import READINGS, SCHEMES, baselines_of
from robandit.paper.verdicts import FAILS, HOLDS, OPEN, ClaimVerdict, all_of, claim, every, signs, verdict_of
from robandit.study.results import Results, values

Places = dict[str, dict[str, Any]]  # a setting's words, and its coordinates
Compared = tuple[str, str, str]  # grid, setting, rival
FIELD = ("tsallis-inf-rv", "tsallis-inf-iw", "thompson")


def levels_of(results: Results, grid: str) -> Places:
    """The distinct settings of a levels grid; C = 0 once."""
    budgets = [budget for budget in values(results.study.grid(grid), "budget") if budget > 0]
    corrupted = {f"{s}, C={c:,.0f}": {"schedule": s, "budget": c} for s in SCHEMES for c in budgets}
    return {"C=0": {"budget": 0.0}, **corrupted}


def arms_of(results: Results, grid: str) -> Places:
    """The numbers of arms of a sweep."""
    return {f"K={arms}": {"arms": arms} for arms in values(results.study.grid(grid), "arms")}


def gaps(
    results: Results, grid: str, places: Places, rivals: Sequence[str], home: str = ""
) -> dict[Compared, Estimate]:
    """Each rival's regret minus SAMBA's in each setting; SAMBA's cells may lie in another grid."""
    return {
        (grid, name, rival): estimate_difference(
            results.runs(grid, policy=rival, **at), results.runs(home or grid, policy="samba", **at)
        )
        for name, at in places.items()
        for rival in rivals
    }


def standings(significant: Mapping[Compared, int], grid: str, places: Places, rivals: Sequence[str]) -> dict[str, str]:
    """In which settings SAMBA is significantly lowest (holds), significantly not lowest (fails), or neither."""
    return {name: every(significant[grid, name, rival] for rival in rivals) for name in places}


def count_outcomes(outcomes: dict[str, str]) -> str:
    """The three counts, and where it is open."""
    settings = {word: [name for name, outcome in outcomes.items() if outcome == word] for word in (HOLDS, FAILS, OPEN)}
    words = (
        f"significantly lowest in {len(settings[HOLDS])} of {len(outcomes)}, significantly not lowest in "
        f"{len(settings[FAILS])}, undecided in {len(settings[OPEN])}"
    )
    return f"{words} ({'; '.join(settings[OPEN])})" if 0 < len(settings[OPEN]) < 4 else words


def losses(results: Results, grid: str, places: Places, outcomes: dict[str, str]) -> str:
    """Where SAMBA is not lowest, and who is."""
    sentences = []
    for name in [name for name, outcome in outcomes.items() if outcome == FAILS][:3]:
        best, rival = min((results.mean(grid, policy=rival, **places[name]), rival) for rival in baselines_of(grid))
        sentences.append(
            f"{name}: {rival} {best:,.0f} against {results.mean(grid, policy='samba', **places[name]):,.0f}"
        )
    return f" (not lowest at {'; '.join(sentences)})" if sentences else ""


def readings_of(results: Results, grid: str, readings: Sequence[str]) -> list[str]:
    """The headline grid, then those of its readings that are there."""
    return [grid, *(f"{grid}-{reading}" for reading in readings if results.has(f"{grid}-{reading}"))]


def rank(results: Results, grids: Sequence[str], places: Places) -> tuple[list[dict[str, str]], str]:
    """SAMBA's standing among the five in every setting of every reading, and what is to say about it."""
    tests: dict[Compared, Estimate] = {}
    for grid in grids:
        tests |= gaps(results, grid, places, baselines_of(grid))
    significant = signs(tests)
    stands = [standings(significant, grid, places, baselines_of(grid)) for grid in grids]
    sentences: dict[str, list[str]] = {}  # readings with the same to say share a sentence
    for grid, stand in zip(grids, stands, strict=True):
        name = "headline reading" if grid == grids[0] else grid.removeprefix(grids[0] + "-")
        sentences.setdefault(count_outcomes(stand) + losses(results, grid, places, stand), []).append(name)
    lines = [f"{', '.join(names).capitalize()}: {words}." for words, names in sentences.items()]
    lines.insert(0, f"SAMBA among the paper's five by reading, {len(tests)} paired comparisons (Holm).")
    return stands, "\n".join(lines)


def describe_readings(outcomes: Sequence[str]) -> str:
    """What the readings come to."""
    if len(outcomes) == 1:
        return ""
    return (
        f"\nSo it holds in {outcomes.count(HOLDS)} of {len(outcomes)} readings, fails in {outcomes.count(FAILS)} and "
        f"stays open in {outcomes.count(OPEN)}."
    )


@claim(
    "lowest-regret",
    "SAMBA has the lowest regret in most settings.",
    "Figure 3, section 5",
    needs=("levels",),
    note="The paper does not simulate Tsallis-INF, though its Table 1 names it with a better bound.",
)
def lowest_regret(results: Results, extras: dict[str, Any]) -> ClaimVerdict:
    """Holds in a reading where SAMBA is significantly lowest in more than half of the settings."""
    stands, evidence = rank(
        results, readings_of(results, "levels", (*READINGS, "blocks")), levels_of(results, "levels")
    )
    outcomes = []
    for stand in stands:
        counts, half = list(stand.values()), len(stand) / 2  # "most settings" is more than half of them
        outcomes.append(HOLDS if counts.count(HOLDS) > half else FAILS if counts.count(FAILS) >= half else OPEN)
    evidence += describe_readings(outcomes)
    if results.has("field-levels"):
        evidence = "\n".join([evidence, *compare_others(results)])
    return ClaimVerdict(verdict_of(outcomes[:1], outcomes[1:]), evidence, "levels-by-budget")


def compare_others(results: Results) -> list[str]:
    """SAMBA against three policies that the paper does not simulate."""
    places = levels_of(results, "field-levels")
    significant = signs(gaps(results, "field-levels", places, FIELD, home="levels"))
    sentences = []
    for rival in FIELD:
        sides = [significant["field-levels", name, rival] for name in places]
        sentences.append(
            f"Against {rival}, not among the five, SAMBA is significantly lower in {sides.count(1)} of {len(sides)}, "
            f"higher in {sides.count(-1)}, undecided in {sides.count(0)}."
        )
    return sentences


@claim(
    "lowest-every-k",
    "SAMBA has the lowest regret for every K.",
    "Table 3",
    needs=("k-sweep",),
)
def lowest_every_k(results: Results, extras: dict[str, Any]) -> ClaimVerdict:
    """Holds in a reading where SAMBA is significantly lowest for every K."""
    places = arms_of(results, "k-sweep")
    stands, evidence = rank(results, readings_of(results, "k-sweep", (*READINGS, "blocks", "linspace")), places)
    outcomes = [all_of(stand.values()) for stand in stands]
    evidence += describe_readings(outcomes)
    if results.has("field-k-sweep"):
        rival = "tsallis-inf-iw"
        significant = signs(gaps(results, "field-k-sweep", places, [rival], home="k-sweep"))
        below = [name for name in places if significant["field-k-sweep", name, rival] < 0]
        evidence += f"\n{rival}, not among the five, is significantly lower at {', '.join(below) or 'no K'}."
    return ClaimVerdict(verdict_of(outcomes[:1], outcomes[1:]), evidence, "k-sweep-by-arms")


@claim(
    "omd-worse-small-c",
    "OMD is worse than SAMBA when C is small.",
    "section 5",
    needs=("levels",),
    note="The paper names neither the regulariser nor its constants; b = 64 is the reading closest to its Table 3.",
)
def omd_worse_small_c(results: Results, extras: dict[str, Any]) -> ClaimVerdict:
    """Holds in a setting of small C where OMD is significantly worse; another constant is another way to look."""
    smallest = min(budget for budget in values(results.study.grid("levels"), "budget") if budget > 0)
    # "small" is C = 0 and the smallest level that is simulated: the claim names no number
    places = {name: at for name, at in levels_of(results, "levels").items() if at["budget"] in (0.0, smallest)}
    tests = gaps(results, "levels", places, ["ftrl-hybrid"])
    if results.has("levels-constants"):
        tests |= gaps(results, "levels-constants", places, ["ftrl-hybrid:b=1"], home="levels")
    significant = signs(tests)
    outcomes = {key: every([sign]) for key, sign in significant.items()}
    sentences = []
    for grid, rival in (("levels", "ftrl-hybrid"), ("levels-constants", "ftrl-hybrid:b=1")):
        rows = [(name, tests[grid, name, rival]) for name in places if (grid, name, rival) in tests]
        if rows:
            listed = "; ".join(f"{name}: {test:+,.0f}" for name, test in rows)
            sides = [significant[grid, name, rival] for name, _ in rows]
            sentences.append(
                f"{rival} minus SAMBA, paired: {listed}. It is significantly worse in {sides.count(1)} of {len(sides)} "
                f"settings, significantly better in {sides.count(-1)}."
            )
    headline = [outcome for key, outcome in outcomes.items() if key[0] == "levels"]
    others = [outcome for key, outcome in outcomes.items() if key[0] != "levels"]
    return ClaimVerdict(verdict_of(headline, others), "\n".join(sentences), "levels-by-budget")
