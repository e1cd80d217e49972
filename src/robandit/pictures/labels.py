"""Labels that stand where they cover neither a dot nor each other."""

from dataclasses import dataclass
from typing import Any

DIRECTIONS = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
REACHES = (5, 9, 14, 20, 28, 37)  # points between a dot and its label, nearest first
DOT = 3.5  # points around the centre of a dot that stay free
BAR = 2.0  # and beside an error bar
STEPS = 16  # points of a line to a dot that are looked at

Box = tuple[float, float, float, float]  # left, bottom, right, top


@dataclass(frozen=True)
class DotLabel:
    """Words for one of several dots: whichever has room beside it."""

    words: str
    colour: str
    anchors: list[tuple[float, float]]


def place_labels(
    figure: Any, axes: Any, labels: list[DotLabel], dots: list[tuple[float, float]], bars: list[Box], size: float
) -> None:
    """Each label at the nearest place where it covers least; halos lie under dots and error bars, never over them."""
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
        tried = [
            (hidden(box, taken, written, frame) + crossed(centre, box, reach, written, point), reach, box, centre)
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


def hidden(box: Box, taken: list[Box], written: list[Box], frame: Box) -> float:
    """What a label there would cover, or lose beyond the frame; other words weigh more than dots."""
    outside = (box[2] - box[0]) * (box[3] - box[1]) - overlap(box, frame)
    return sum(overlap(box, other) for other in taken) + 5.0 * (outside + sum(overlap(box, one) for one in written))


def crossed(centre: Any, box: Box, reach: float, written: list[Box], point: float) -> float:
    """What the line to a label there would cover of other words; a label close to its dot needs none."""
    if reach <= REACHES[1]:
        return 0.0
    return 5.0 * sum(overlap(spot, words) for spot in leader(centre, box, point) for words in written)


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
