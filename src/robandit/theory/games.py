"""Games in exact numbers: the means and SAMBA's step as fractions, and what the theory derives from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from robandit.errors import InputError

WARN_FROM = 0.39  # share of the largest step from which corruption costs more than b_inf per unit


def exact(value: float | str | Fraction) -> Fraction:
    """Returns the number as it is written: 0.05 is 1/20, not the double nearest to it."""
    return Fraction(str(value))


@dataclass(frozen=True)
class SambaGame:
    """Bernoulli arms, the best one first, and SAMBA's step."""

    means: tuple[Fraction, ...]
    rate: Fraction

    @classmethod
    def of(cls, means: Sequence[float], rate: float) -> "SambaGame":
        """Returns the game with these numbers as they are written, unchecked."""
        return cls(tuple(exact(mean) for mean in means), exact(rate))

    @property
    def arms(self) -> int:
        return len(self.means)

    @property
    def best(self) -> Fraction:
        return self.means[0]

    @property
    def rival(self) -> Fraction:
        """The second best mean, r_2."""
        return max(self.means[1:])

    @property
    def gap(self) -> Fraction:
        return self.best - self.rival

    @property
    def spread(self) -> Fraction:
        """G = Delta_max/Delta."""
        return (self.best - min(self.means)) / self.gap

    @property
    def limit(self) -> Fraction:
        """The paper's condition: steps below Delta/r_2."""
        return self.gap / self.rival

    @property
    def rho(self) -> Fraction:
        """The step as a share of that limit."""
        return self.rate * self.rival / self.gap

    @property
    def least_price(self) -> Fraction:
        """b_inf = (2 + alpha)/(1 - rho): with two arms no bound f(T) + b C with f(T)/T -> 0 has a smaller b."""
        return (2 + self.rate) / (1 - self.rho)

    @property
    def sizes(self) -> tuple[Fraction, Fraction, Fraction]:
        """With two arms the cost of a round enters as a broken line; these are its corners."""
        small, large = sorted((1 - self.rival, self.best))
        return Fraction(0), small, large


def two_arms(means: tuple[float, ...], learning_rate: float) -> SambaGame:
    """Returns the game with two arms. Raises InputError where no theorem applies."""
    check_two_arms(means, learning_rate)
    game = SambaGame.of(means, learning_rate)
    if game.rho >= 1:
        raise InputError(
            f"learning_rate must be below r*/r_2 - 1 = {float(game.limit):g} for means {means[0]:g} and {means[1]:g}, "
            f"not {learning_rate:g}: a wrong leader may stay for good, and no bound of this kind holds"
        )
    return game


def check_two_arms(means: tuple[float, ...], learning_rate: float) -> None:
    """Raises InputError unless there are two means in order and a step between 0 and 1."""
    if len(means) != 2 or not 0.0 < means[1] < means[0] <= 1.0:
        raise InputError(f"means must be two numbers from 0 to 1, the better arm first, not {means!r}")
    if not 0.0 < learning_rate < 1.0:
        raise InputError(f"learning_rate must be above 0 and below 1, not {learning_rate:g}")
