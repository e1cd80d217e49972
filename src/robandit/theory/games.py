"""Games in exact numbers: the means and SAMBA's step as fractions, and what the theory derives from them."""

from dataclasses import dataclass
from fractions import Fraction

from robandit.errors import InputError

WARN_FROM = 0.39  # share of the largest step from which corruption costs more than b_inf a unit


def exact(value: float | str | Fraction) -> Fraction:
    """The number as it is written: 0.05 is 1/20, not the double nearest to it."""
    return Fraction(str(value))


@dataclass(frozen=True)
class TwoArms:
    """Two Bernoulli arms, the better one first, and SAMBA's step."""

    best: Fraction
    rival: Fraction
    rate: Fraction

    @property
    def gap(self) -> Fraction:
        return self.best - self.rival

    @property
    def limit(self) -> Fraction:
        """The paper's condition: steps below Delta/r_2."""
        return self.gap / self.rival

    @property
    def rho(self) -> Fraction:
        """The step as a share of that limit."""
        return self.rate / self.limit

    @property
    def least_price(self) -> Fraction:
        """b_inf = (2 + alpha)/(1 - rho): no bound f(T) + b C with f(T)/T -> 0 has a smaller b."""
        return (2 + self.rate) / (1 - self.rho)

    @property
    def sizes(self) -> tuple[Fraction, Fraction, Fraction]:
        """Corruption of a round enters as a broken line; these are its corners."""
        small, large = sorted((1 - self.rival, self.best))
        return Fraction(0), small, large


def two_arms(means: tuple[float, ...], learning_rate: float) -> TwoArms:
    """The game, refused where no theorem applies."""
    if len(means) != 2 or not 0.0 < means[1] < means[0] <= 1.0:
        raise InputError(f"means must be two numbers from 0 to 1, the better arm first, not {means!r}")
    if not 0.0 < learning_rate < 1.0:
        raise InputError(f"learning_rate must be above 0 and below 1, not {learning_rate:g}")
    game = TwoArms(exact(means[0]), exact(means[1]), exact(learning_rate))
    if game.rho >= 1:
        raise InputError(
            f"learning_rate must be below r*/r_2 - 1 = {float(game.limit):g} for means {means[0]:g} and {means[1]:g}, "
            f"not {learning_rate:g}: a wrong leader may stay for good, and no bound of this kind holds"
        )
    return game
