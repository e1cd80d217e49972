"""What one token may do to the others: nothing."""

from pathlib import Path

import httpx

from robandit.service.tokens import Token, new_token
from tests.serving import running

OFFERS = {"name": "offers", "arms": ["red", "green"], "policy": "samba", "patience": 1000}


def test_a_token_that_decides_much_makes_no_decision_of_others_be_forgotten(tmp_path: Path) -> None:
    greedy = {"authorization": f"Bearer {new_token(tmp_path / 'tokens', 'greedy', 'decide', rate=10)}"}
    with running(folder=tmp_path, boss="admin", shop="decide,reward") as served:
        shop, url = served.bearer("shop"), f"{served.url}/v1/experiments/offers"
        assert httpx.post(f"{served.url}/v1/experiments", json=OFFERS, headers=served.bearer("boss")).is_success
        ids = [httpx.post(f"{url}/decisions", json={}, headers=shop).json()["id"] for _ in range(50)]
        first = httpx.post(f"{url}/decisions", json={"count": 1000}, headers=greedy)
        assert first.status_code == 201
        second = httpx.post(f"{url}/decisions", json={"count": 1000}, headers=greedy)
        assert second.status_code == 429  # a thousand decisions are a hundred seconds of its rate
        assert 90 <= int(second.headers["retry-after"]) <= 100
        served.service.tokens.find(greedy["authorization"][7:].encode()).left = 1.0  # type: ignore[union-attr]
        assert httpx.post(f"{url}/decisions", json={"count": 1000}, headers=greedy).status_code == 201
        answers = [httpx.put(f"{url}/decisions/{id}/reward", json={"reward": 1}, headers=shop) for id in ids]
        assert {answer.status_code for answer in answers} == {201}
        own = first.json()["decisions"][0]["id"]  # a thousand of its own came after it
        assert httpx.put(f"{url}/decisions/{own}/reward", json={"reward": 1}, headers=shop).status_code == 410
        pending = httpx.get(url, headers=served.bearer("boss")).json()["pending"]
        assert pending == 1000


def test_each_decision_and_reward_of_a_request_counts() -> None:
    token = Token("one", frozenset(["decide"]), rate=100.0)
    assert token.wait() == 0.0
    token.charge(0)
    assert token.wait() == 0.0
    token.charge(999)
    assert 8.5 < token.wait() <= 9.02
