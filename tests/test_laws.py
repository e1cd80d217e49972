"""Every part of the catalogue keeps every law that applies to it; new parts are found, no list is edited."""

from typing import Any

import pytest

from robandit.catalogue import attack, environment, shipped
from robandit.conformance import ADVERSARY_LAWS, ENVIRONMENT_LAWS, POLICY_LAWS

MEANS = (0.2, 0.5, 0.9)
ENVIRONMENTS = {
    "bernoulli": lambda: environment("bernoulli", (0.0, *MEANS, 1.0)),
    "beta": lambda: environment("beta:concentration=3", MEANS),
    "samples": lambda: shipped("environment")["samples"](samples=((0.0, 0.25, 1.0), (0.5, 0.5, 0.75, 1.0))),
}
ADVERSARIES = {
    **{name: lambda name=name: attack(name, budget=25) for name in shipped("attack")},
    **{name: lambda name=name: attack("flip", schedule=name, budget=25) for name in shipped("schedule")},
    **{name: lambda name=name: attack(name, budget=25) for name in shipped("adversary")},
    "efficient": lambda: attack("invert", schedule="leading:theta=0.1,first=50", budget=25, size="efficient"),
    "epoch": lambda: attack("flip", schedule="epoch:number=1", budget=25),
    "window": lambda: attack("sink", schedule="window:first=100,stop=900", budget=25, size=0.2),
}


def cases(laws: dict[str, Any], parts: dict[str, Any]) -> Any:
    return [pytest.param(law, make, id=f"{name}-{kind}") for kind, make in parts.items() for name, law in laws.items()]


@pytest.mark.parametrize(("law", "make"), cases(POLICY_LAWS, shipped("policy")))
def test_policies_keep_the_laws(law: Any, make: Any) -> None:
    policy = make()
    if law.__name__ in policy.about.waived:
        pytest.skip(policy.about.waived[law.__name__])
    law(policy)


@pytest.mark.parametrize(("law", "make"), cases(ADVERSARY_LAWS, ADVERSARIES))
def test_adversaries_keep_the_laws(law: Any, make: Any) -> None:
    law(make())


@pytest.mark.parametrize(("law", "make"), cases(ENVIRONMENT_LAWS, ENVIRONMENTS))
def test_environments_keep_the_laws(law: Any, make: Any) -> None:
    law(make())


def test_a_waiver_names_a_law_and_a_reason() -> None:
    for make in shipped("policy").values():
        assert all(law in POLICY_LAWS and len(reason) > 20 for law, reason in make.about.waived.items())


def test_every_environment_has_a_case() -> None:
    assert set(ENVIRONMENTS) == set(shipped("environment"))
