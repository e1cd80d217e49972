"""Every public function, and every class that users make, says what each of its arguments is."""

import inspect
import re

import pytest

import robandit as rb
from robandit import PLACES
from robandit.catalogue import SHIPPED
from robandit.report.catalogue import KINDS

PARTS = {cls for kinds in KINDS.values() for kind in kinds for cls in SHIPPED.parts(kind).values()}
FIELDS = {  # classes whose fields say it themselves
    **dict.fromkeys(
        ("Audit", "Log", "PausedPlay", "RewardLog", "StudyResults", "Timetable", "Trace"), "returned, not made"
    ),
    **dict.fromkeys(("Choice", "Random", "Setting"), "given to a policy, not made by users"),
    **dict.fromkeys(("Adversary", "Capability"), "parameters carry their descriptions"),
    "About": "each field has its comment",
    "Catalogue": "made by its methods",
    "ColumnNames": "each argument is the name of the column",
    "InputError": "raised, not made",
    "Scenario": "its arguments are gathered as **terms",
}
NAMES = [
    name
    for name in sorted(PLACES)
    if name not in FIELDS and callable(getattr(rb, name)) and getattr(rb, name) not in PARTS
]


@pytest.mark.parametrize("name", NAMES)
def test_each_argument_is_described(name: str) -> None:
    thing = getattr(rb, name)
    try:
        parameters = inspect.signature(thing).parameters
    except ValueError:
        return
    text = inspect.cleandoc(thing.__doc__ or "")
    described = re.search(r"^Args:\n((?:    .*\n?|\n)*)", text, re.M)
    names = re.findall(r"^    \*{0,2}([\w, *]+):", described[1], re.M) if described else []
    listed = {one.strip(" *") for names_of_line in names for one in names_of_line.split(",")}
    assert {one for one in parameters if one not in ("self", "cls")} <= listed
