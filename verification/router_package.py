"""The replica of recipes/router.py beside the package it replicates: every pick and every cell.

    python -m venv out/package && out/package/bin/pip install litellm==1.109.1 .
    LITELLM_LOCAL_MODEL_COST_MAP=True out/package/bin/python verification/router_package.py

Where an index lacks the certifi that litellm pins, install it with --no-deps and its requirements beside it, certifi
unpinned: that is how it was tried. The package is no dependency: it is installed beside, and nothing leaves the
machine. Conversations go through its own hook, so that its gate, its attribution and its cap are what is compared.
Where the replica's user says that an answer was good or bad, here are words for it, which the package reads.
"""

import asyncio
import random
import sys
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from litellm.router_strategy.adaptive_router.adaptive_router import AdaptiveRouter
from litellm.router_strategy.adaptive_router.config import ADAPTIVE_ROUTER_CHOSEN_MODEL_KEY
from litellm.router_strategy.adaptive_router.hooks import AdaptiveRouterPostCallHook
from litellm.types.router import AdaptiveRouterConfig, AdaptiveRouterPreferences, RequestType

sys.path.insert(0, str(Path(__file__).parents[1] / "recipes"))
from router import EQUAL, PRICED, TYPES, Conversation, Replica, World

PROMPTS = {  # one that the package files under each type
    "code_generation": "write a python function for task number",
    "code_understanding": "explain what this function does in case number",
    "technical_design": "design the database schema for service number",
    "analytical_reasoning": "solve the equation of problem number",
    "writing": "draft an email to customer number",
    "factual_lookup": "what is the capital of country number",
    "general": "hello there, here is note number",
}
TURNS = 20_000


class Package:
    """The package's router, fed as its proxy feeds it."""

    def __init__(self, world: World) -> None:
        self.world = world
        names = [model.name for model in world.models]
        preferences = {
            model.name: AdaptiveRouterPreferences(
                quality_tier=model.tier, strengths=[RequestType(kind) for kind in model.strengths]
            )
            for model in world.models
        }
        costs = {model.name: model.cost for model in world.models}
        config = AdaptiveRouterConfig(available_models=names)
        self.router = AdaptiveRouter("smart-router", config, preferences, costs)
        self.hook = AdaptiveRouterPostCallHook(self.router)
        self.names = names

    async def turn(self, messages: list[dict[str, str]], kind: str, number: int) -> str:
        """Send one request: a pick, an answer, the hook; returns the model."""
        pick = await self.router.async_pre_routing_hook("smart-router", {}, messages)
        assert pick is not None
        assert pick.routing_decision["request_type"] == kind, (messages[-1], pick.routing_decision)
        answer = {"role": "assistant", "content": f"answer{number} word{number} more{number}"}
        reply = SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(tool_calls=None, **answer))])
        metadata = {ADAPTIVE_ROUTER_CHOSEN_MODEL_KEY: pick.model, "user_api_key_user_id": "somebody"}
        await self.hook.async_log_success_event(
            {"messages": list(messages), "litellm_params": {"metadata": metadata}}, reply, None, None
        )
        messages.append(answer)
        return pick.model

    def cells(self) -> dict[str, list[list[float]]]:
        """Returns successes and failures by type and model."""
        beliefs = {kind: [self.router.cell(RequestType(kind), name) for name in self.names] for kind in TYPES}
        return {kind: [[cell.alpha, cell.beta] for cell in cells] for kind, cells in beliefs.items()}


async def compare(world: World, seed: int) -> tuple[int, int]:
    """Play both on the same conversations; returns the thumbs that counted and the cells that are full."""
    package, replica, stream = Package(world), Replica(world, random.Random()), random.Random(seed)
    talks: list[tuple[Conversation, list[dict[str, str]], int]] = []
    thumbs = 0
    for number in range(TURNS):
        if len(talks) < 20:
            talks.append((Conversation(stream.choice(TYPES)), [], number))
        place = stream.randrange(len(talks))
        talk, messages, name = talks[place]
        says = stream.choice([True, False, None]) if talk.turns else None
        word = {True: " thanks", False: " this is not working", None: ""}[says]
        messages.append({"role": "user", "content": f"{PROMPTS[talk.kind]} {name}{word}"})
        random.seed(number)  # the package draws from the module's stream
        replica.stream = random.Random(number)
        model = await package.turn(messages, talk.kind, number)
        thumbs += talk.turn(replica, says, bool(says))
        assert model == package.names[talk.model], f"turn {number}: {model} and {package.names[talk.model]}"
        if number % 500 == 0 or number == TURNS - 1:
            check_cells(package.cells(), replica.cells, number)
        if stream.random() < 1 / 8:
            talks.pop(place)
    return thumbs, sum(sum(cell) + 1.0 > 200 for cells in replica.cells.values() for cell in cells)


def check_cells(first: dict[str, Any], second: dict[str, Any], number: int) -> None:
    """Raise AssertionError where a cell differs by more than rounding."""
    for kind in TYPES:
        for one, two in zip(first[kind], second[kind], strict=True):
            assert max(abs(a - b) for a, b in zip(one, two, strict=True)) < 1e-9, f"turn {number}, {kind}: {one}, {two}"


def main() -> None:
    """Compare in both worlds."""
    for seed, world in enumerate((EQUAL, PRICED)):
        thumbs, full = asyncio.run(compare(world, seed))
        print(
            f"litellm {version('litellm')}, {world.models[0].name} and {world.models[1].name}: {TURNS:,} picks alike, "
            f"{thumbs:,} thumbs counted alike, {full} of {2 * len(TYPES)} cells full"
        )


if __name__ == "__main__":
    main()
