"""Every part of the catalogue keeps every law that applies to it; new parts are found, no list is edited."""

from dataclasses import replace
from typing import Any

import pytest

from robandit.catalogue import SHIPPED, attack, environment, scaled, shipped
from robandit.conformance import ADVERSARY_LAWS, ENVIRONMENT_LAWS, POLICY_LAWS
from robandit.conformance.late import deferring_is_harmless, late_rewards, replay_equals_learning
from robandit.conformance.law import waivers
from robandit.conformance.online import arms_come_and_go, eligible_probability_is_true, journal_is_the_learner
from robandit.conformance.policies import compiled_equals_interpreted, probability_is_true, save_and_load, simplex
from robandit.conformance.variants import variants
from robandit.policies.discount import Discount
from robandit.policies.floor import Floor
from robandit.policies.restart import Restart
from robandit.policies.thompson import Thompson
from robandit.policies.window import SlidingWindow

MEANS = (0.2, 0.5, 0.9)
ENVIRONMENTS = {
    "bernoulli": lambda: environment("bernoulli", (0.0, *MEANS, 1.0)),
    "beta": lambda: environment("beta:concentration=3", MEANS),
    "contexts": lambda: environment("contexts:arms=3,dimension=3,users=7"),
    "linear": lambda: environment("linear:arms=3,dimension=3"),
    "paths": lambda: environment("paths:rows=2,columns=3"),
    "shifts": lambda: environment("shifts:every=7", MEANS),
    "drift": lambda: environment("drift:step=0.05", MEANS),
    "season": lambda: environment("season:arms=3,period=30"),
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


POLICIES = {str(variant): variant for make in SHIPPED.policies().values() for variant in variants(make())}
FORGETTING = {
    f"{wrapper.name}-{name}": replace(wrapper, inner=scaled(make()))
    for wrapper, way in ((SlidingWindow(500), "can_unlearn"), (Discount(0.998), "can_fade"), (Restart(), "can_restart"))
    for name, make in shipped("policy").items()
    if getattr(make, way) is True  # for a wrapper it is a property
} | {"restart-floor": Restart(0.5, inner=Floor(inner=Thompson()))}
FLOORS = {f"floor-{name}": Floor(inner=make()) for name, make in shipped("policy").items() if name != "floor"}
KINDS = ("floor-ucb1", "floor-barbar", "floor-thompson")  # drawn for, throwing coins, implicit


def hold(law: Any, policy: Any) -> None:
    if law.__name__ in waivers(policy):
        pytest.skip(waivers(policy)[law.__name__])
    law(policy)


@pytest.mark.parametrize(("law", "policy"), cases(POLICY_LAWS, POLICIES))
def test_policies_keep_the_laws(law: Any, policy: Any) -> None:
    hold(law, policy)


@pytest.mark.parametrize(
    "law", [simplex, probability_is_true, deferring_is_harmless, save_and_load], ids=lambda law: law.__name__
)
@pytest.mark.parametrize("floor", FLOORS)
def test_a_floor_over_any_policy_keeps_the_laws(law: Any, floor: str) -> None:
    hold(law, FLOORS[floor])


@pytest.mark.parametrize(
    "law",
    [
        late_rewards,
        compiled_equals_interpreted,
        replay_equals_learning,
        journal_is_the_learner,
        arms_come_and_go,
        eligible_probability_is_true,
    ],
    ids=lambda law: law.__name__,
)
@pytest.mark.parametrize("floor", KINDS)
def test_a_floor_over_each_kind_of_policy_is_compiled_and_takes_late_rewards(law: Any, floor: str) -> None:
    hold(law, FLOORS[floor])


@pytest.mark.parametrize(
    "law",
    [simplex, probability_is_true, deferring_is_harmless, late_rewards, save_and_load],
    ids=lambda law: law.__name__,
)
@pytest.mark.parametrize("name", FORGETTING)
def test_wrappers_that_forget_keep_the_laws_around_any_policy_that_can(law: Any, name: str) -> None:
    hold(law, FORGETTING[name])


@pytest.mark.parametrize(
    "law",
    [
        compiled_equals_interpreted,
        replay_equals_learning,
        journal_is_the_learner,
        arms_come_and_go,
        eligible_probability_is_true,
    ],
    ids=lambda law: law.__name__,
)
@pytest.mark.parametrize("name", ["window-ucb1", "discount-kl-ucb", "discount-tsallis-inf-rv", "restart-floor"])
def test_wrappers_around_each_kind_of_policy_are_compiled_and_decide_in_the_world(law: Any, name: str) -> None:
    hold(law, FORGETTING[name])


def test_variants_are_found_by_introspection() -> None:
    assert {"barbar:scale=1,pulls=blocks", "barbar:scale=1,pulls=shuffled", "cbarbar:scale=1,band=upper"} <= set(
        POLICIES
    )
    assert {"cbarbar:scale=1,pulls=blocks", "draa:scale=1,pulls=shuffled", "barbat:pulls=blocks,scale=1"} <= set(
        POLICIES
    )
    assert {"ftpl:resampling=geometric", "softmax-gradient:baseline=False"} <= set(POLICIES)


@pytest.mark.parametrize(("law", "make"), cases(ADVERSARY_LAWS, ADVERSARIES))
def test_adversaries_keep_the_laws(law: Any, make: Any) -> None:
    law(make())


@pytest.mark.parametrize(("law", "make"), cases(ENVIRONMENT_LAWS, ENVIRONMENTS))
def test_environments_keep_the_laws(law: Any, make: Any) -> None:
    law(make())


def test_a_waiver_names_a_law_and_a_reason() -> None:
    for policy in POLICIES.values():
        assert all(law in POLICY_LAWS and len(reason) > 20 for law, reason in waivers(policy).items())


def test_every_environment_has_a_case() -> None:
    assert set(ENVIRONMENTS) == set(shipped("environment"))
