"""What came last is remembered, the rest forgotten, against a plain list of all that came."""

from robandit.service.recent import Recent


def test_half_of_what_fits_is_always_there_and_never_more_than_fits() -> None:
    recent, told = Recent[int, int](20), list[tuple[int, int]]()
    for step in range(500):
        key = (step * 7) % 37  # keys come back
        recent.put(key, step)
        told.append((key, step))
        last = dict(told)
        assert all(recent.get(one) == last[one] for one, _ in told[-10:])
        known = [one for one in range(37) if recent.get(one) is not None]
        assert len(known) <= 20
        assert all(recent.get(one) == last[one] for one in known)
