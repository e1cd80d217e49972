"""The report of a study: a section for each grid; a pure function of what is stored."""

from pathlib import Path

from robandit.report.page import Section, write_page
from robandit.study.figures import Published, Shape, describe_terms, pictures_of
from robandit.study.results import Results
from robandit.study.spec import Grid
from robandit.study.tables import paired_table, summary_table
from robandit.study.weigh import weigh


def write_report(results: Results) -> Path:
    """Write the page of a study into its folder; returns the path of the page."""
    study = results.study
    sections = [grid_section(results, grid) for grid in study.grids]
    stored, total = results.count()
    lead = [study.question] if study.question else []
    lead.append(f"{stored} of {total} cells are stored. {READING}")
    claims = [weigh(results, claim) for claim in study.claims]
    sections[:0] = [Section("verdicts", "Verdicts", [WEIGHING], claims=claims)] if claims else []
    return write_page(study.name, lead, sections, results.store.folder)


READING = (
    "Regret always counts the true means. ± is half of a 95 % interval of the mean. Threat model A moves the means "
    "before the draw; attacks of threat model B, which see the draw, are named as such."
)


WEIGHING = (
    "A run is fooled if it plays the best arm (or slate) in fewer than half of its rounds, and a policy if most of its "
    "runs are. Each cell is tested at the 5 % level after Holm's correction within a claim; a claim holds if all its "
    "cells say so, fails if one says the contrary, and stays open otherwise."
)


def grid_section(results: Results, grid: Grid, published: Published | None = None) -> Section:
    """Figures and tables of one grid; published values stand beside ours."""
    tables = [summary_table(results, grid)]
    compared = paired_table(results, grid)
    if compared:
        tables.append(compared)
    waiting = len(grid.cells) - len(results.cells(grid))
    text = [f"{waiting} of {len(grid.cells)} cells are not there yet."] if waiting else []
    text += [refusal, *describe_terms(grid)] if (refusal := Shape(grid).refusal()) else []
    pictures = pictures_of(results, grid, published) if len(tables[0].rows) > 0 else []
    return Section(grid.id, grid.title or grid.id, text, pictures=pictures, tables=tables)
