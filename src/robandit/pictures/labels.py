"""Labels that stand where they cover neither a dot nor each other."""

from dataclasses import dataclass
from typing import Any

DIRECTIONS = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
REACHES = (5, 9, 14, 20, 28, 37)  # points between a dot and its label, nearest first
DOT = 3.5  # points around the centre of a dot that stay free
BAR = 2.0  # and beside an error bar
STEPS = 16  # points of a line to a dot that are looked at
WORDS = 50.0  # how much more other words weigh than dots, where a label would cover them
FAR = 2.0  # a point of distance weighs as much as so many square points of a dot

Box = tuple[float, float, float, float]  # left, bottom, right, top


@dataclass(frozen=True)
class DotLabel:
    """Words for one of several dots: whichever has room beside it."""

    words: str
    colour: str
    anchors: list[tuple[float, float]]


@dataclass(frozen=True)
class TakenRoom:
    """What is drawn already: dots, bars and lines, and the words of other labels."""

    drawn: list[Box]
    written: list[Box]
    frame: Box
    point: float  # in pixels

    def cost(self, centre: Any, box: Box, reach: float) -> float:
        """What a label there and the line to it would cover, or lose beyond the frame, and how far it is."""
        outside = (box[2] - box[0]) * (box[3] - box[1]) - overlap(box, self.frame)
        words = outside + sum(overlap(box, one) for one in self.written)
        return self.crossed(centre, box, reach) + FAR * reach * self.point**2 + WORDS * words + self.hidden(box)

    def hidden(self, box: Box) -> float:
        """How much that is drawn a label there would cover."""
        return sum(overlap(box, one) for one in self.drawn)

    def crossed(self, centre: Any, box: Box, reach: float) -> float:
        """What the line to a label there would cover; a label close to its dot needs none, its own dot is no matter."""
        if reach <= REACHES[1]:
            return 0.0
        x, y = centre
        steps = leader(centre, box, self.point)
        others = [one for one in self.drawn if not (one[0] <= x <= one[2] and one[1] <= y <= one[3])]
        dots, words = (sum(overlap(step, one) for step in steps for one in boxes) for boxes in (others, self.written))
        return dots + WORDS * words


def place_labels(
    figure: Any, axes: Any, labels: list[DotLabel], dots: list[tuple[float, float]], bars: list[Box], size: float
) -> None:
    """Each label close to its dot where it covers little; halos lie under dots and error bars, never over them."""
    from matplotlib.patheffects import withStroke

    renderer, point = figure.canvas.get_renderer(), figure.dpi / 72.0
    frame = box_of(axes.get_window_extent(renderer))
    taken = [around(axes.transData.transform(dot), DOT * point) for dot in dots]
    for bar in bars:
        (left, low), (right, high) = axes.transData.transform(bar[:2]), axes.transData.transform(bar[2:])
        taken.append((left - BAR * point, low - BAR * point, right + BAR * point, high + BAR * point))
    written = [box_of(text.get_window_extent(renderer)) for text in axes.texts]
    for label in labels:
        text = axes.annotate(label.words, label.anchors[0], (0, 0), textcoords="offset points", zorder=2)
        text.set(fontsize=size, color=label.colour, path_effects=[withStroke(linewidth=1.5, foreground="white")])
        left, low, right, high = box_of(text.get_window_extent(renderer))
        width, height = right - left, high - low
        centres = [axes.transData.transform(anchor) for anchor in label.anchors]
        room = TakenRoom(taken, written, frame, point)
        tried = [
            (room.cost(centre, box, reach), reach, box, centre)
            for reach in REACHES
            for centre in centres
            for box in boxes_around(centre, reach * point, width, height)
        ]
        _, reach, best, centre = min(tried, key=lambda one: one[:2])
        anchor = label.anchors[next(i for i, one in enumerate(centres) if one is centre)]
        text.xy = anchor
        text.set_position(((best[0] - centre[0]) / point, (best[1] - centre[1]) / point))
        written.append(best)
        if reach > REACHES[1]:
            line_to(axes, anchor, centre, best, label.colour)
            taken += leader(centre, best, point)  # no later label may stand on the line


def boxes_around(centre: Any, reach: float, width: float, height: float) -> list[Box]:
    """The places for a label at one distance from a dot."""
    boxes = []
    for dx, dy in DIRECTIONS:
        left = centre[0] + dx * reach - (width if dx < 0 else width / 2 if dx == 0 else 0.0)
        low = centre[1] + dy * reach - (height if dy < 0 else height / 2 if dy == 0 else 0.0)
        boxes.append((left, low, left + width, low + height))
    return boxes


def leader(centre: Any, box: Box, point: float) -> list[Box]:
    """Small squares along the line from a dot to its label."""
    x, y = nearest(centre, box)
    steps = [step / STEPS for step in range(1, STEPS)]
    return [around((centre[0] + step * (x - centre[0]), centre[1] + step * (y - centre[1])), point) for step in steps]


def nearest(centre: Any, box: Box) -> tuple[float, float]:
    """The point of a box that is next to a dot."""
    return min(max(centre[0], box[0]), box[2]), min(max(centre[1], box[1]), box[3])


def line_to(axes: Any, anchor: tuple[float, float], centre: Any, box: Box, colour: str) -> None:
    """A thin line from a dot to a label that had to stand further off."""
    end = axes.transData.inverted().transform(nearest(centre, box))
    axes.plot([anchor[0], end[0]], [anchor[1], end[1]], color=colour, linewidth=0.5, alpha=0.7, zorder=1.5)


def around(centre: Any, reach: float) -> Box:
    """A square around a dot."""
    return (centre[0] - reach, centre[1] - reach, centre[0] + reach, centre[1] + reach)


def box_of(extent: Any) -> Box:
    """Left, bottom, right, top."""
    return (extent.x0, extent.y0, extent.x1, extent.y1)


def overlap(one: Box, other: Box) -> float:
    """The area two boxes share."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)
