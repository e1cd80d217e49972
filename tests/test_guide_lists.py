"""Lists that guides write out: each is what the code says."""

import re
from pathlib import Path

import robandit as rb
from robandit.catalogue import shipped
from robandit.client import AsyncClient, AsyncExperiment, Client, ExperimentClient

SERVICE = (Path(__file__).parents[1] / "docs" / "service.md").read_text()


def test_the_policies_that_take_back_a_reward_are_those_of_the_page() -> None:
    listed = re.search(r"These policies can do that: ([^;]*);", SERVICE)
    assert listed is not None
    able = {name for name in shipped("policy") if rb.policy(name).can_unlearn}
    assert re.findall(r"`([\w-]+)`", listed[1]) == sorted(able)
    for name in able:
        for policy in (name, f"floor:inner=({name})"):
            rb.Learner(policy, arms=["red", "green"], verified="prefer")  # is not refused


def test_the_asynchronous_client_has_the_same_calls() -> None:
    assert "`AsyncClient` has the same calls with `await`." in SERVICE
    for sync, other in ((Client, AsyncClient), (ExperimentClient, AsyncExperiment)):
        names, others = ({name for name in vars(cls) if not name.startswith("_")} for cls in (sync, other))
        assert names == others
