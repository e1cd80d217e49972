"""The strategy of recipes/robust_router.py inside the real package: requests, thumbs, a forger, and a retraction.

    python -m venv out/package && out/package/bin/pip install litellm==1.109.1 .
    LITELLM_LOCAL_MODEL_COST_MAP=True out/package/bin/python verification/router_strategy.py

Where an index lacks the certifi that litellm pins, install it with --no-deps and its requirements beside it, certifi
unpinned: that is how it was tried. The package is no dependency, and nothing leaves the machine: its deployments
answer with a fixed text.
"""

import asyncio
import random
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from litellm import Router

import robandit as rb

sys.path.insert(0, str(Path(__file__).parents[1] / "recipes"))
from robust_router import RobustRouter

SATISFACTION = {"large": 0.8, "small": 0.6}
REQUESTS, FORGED = 2_000, 20


def deployment(name: str) -> dict[str, Any]:
    """Returns a deployment that replies with a fixed text."""
    parameters = {"model": f"openai/{name}", "api_key": "none", "mock_response": f"from {name}"}
    return {"model_name": "chat", "litellm_params": parameters, "model_info": {"id": name}}


async def play(policy: str, journal: Path) -> None:
    """Send requests and thumbs; the first thumbs for the better model come from a forger."""
    router, stream = Router(model_list=[deployment(name) for name in SATISFACTION]), random.Random(3)
    strategy = RobustRouter(router.registry().all(), journal, policy, seed=1)
    router.register_plugin(strategy)
    left, good = FORGED, 0
    for number in range(REQUESTS):
        metadata: dict[str, Any] = {}
        question = [{"role": "user", "content": "a question"}]
        if number % 2:
            reply = await router.acompletion("chat", question, metadata=metadata)
        else:
            reply = router.completion("chat", question, metadata=metadata)
        name = str(reply.choices[0].message.content).removeprefix("from ")
        good += name == "large"
        is_forged = left > 0 and name == "large"
        left -= is_forged
        is_good = not is_forged and stream.random() < SATISFACTION[name]
        source = "key 13" if is_forged else f"key {100 + number % 50}"
        assert strategy.thumb(metadata["decision"], is_good, source)
    now = strategy.learner.probabilities()
    count = strategy.learner.retract(source="key 13")
    then = strategy.learner.probabilities()
    print(f"{policy}: the better model answers {good / REQUESTS:.0%}, and the next with probability {now['large']:.3f}")
    print(f"  without the {count} thumbs of key 13: {then['large']:.3f}")
    strategy.learner.close()
    router.retire()
    learner = rb.Learner.open(journal, read_only=True)
    assert learner.probabilities() == then


def main() -> None:
    """Play two policies inside the package."""
    print(f"litellm {version('litellm')}, {REQUESTS:,} requests, {FORGED} forged thumbs")
    with tempfile.TemporaryDirectory() as folder:
        for policy in ("capped-thompson", "bonus-thompson:withstand=20"):
            asyncio.run(play(policy, Path(folder) / f"{policy.partition(':')[0]}.journal"))


if __name__ == "__main__":
    main()
