"""The floors of the package, drawn from its imports."""

import ast
from collections import defaultdict
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from picture_style import WIDTH

import sklearn_ap

PACKAGE = Path(sklearn_ap.__file__).parent
ROOMS = {"metrics.py", "scorers.py", "displays.py"}  # files that are rooms
CLIENTS = {"compat", "retrieval", "detections", "large", "_report", "_cli"}
FLOOR, GAP = 1.0, 0.35  # heights
CORE_COLOR, CLIENT_COLOR = "#0072B2", "#D55E00"


class Box(NamedTuple):
    """The place of a room in the picture."""

    left: float
    bottom: float
    width: float

    @property
    def middle(self):
        """Where arrows begin."""
        return self.left + self.width / 2


def files_of(name):
    """The files of a room."""
    if name in ROOMS:
        return [PACKAGE / name]
    return sorted((PACKAGE / name).rglob("*.py"))


def imported_rooms(name, names):
    """The rooms that the files of a room import, inside functions, too."""
    found = set()
    for file in files_of(name):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    package, room, *_ = f"{node.module}.{alias.name}".split(".")
                    if package == "sklearn_ap":
                        found |= {room, f"{room}.py"} & names
    return found - {name}


def rooms():
    """Each folder of the package and each file that is a room, and the rooms that it imports."""
    folders = (folder for folder in PACKAGE.iterdir() if (folder / "__init__.py").exists())
    names = {*ROOMS, *(folder.name for folder in folders)}
    return {name: imported_rooms(name, names) for name in sorted(names)}


def levels_of(below):
    """The rooms of each floor, from the ground up: a room is above all that it imports."""
    floor_of, found = {}, defaultdict(list)
    for name in TopologicalSorter(below).static_order():
        floor_of[name] = 1 + max((floor_of[each] for each in below[name]), default=-1)
        found[floor_of[name]].append(name)
    return [
        sorted(found[floor], key=lambda name: (name in CLIENTS, name)) for floor in sorted(found)
    ]


def n_lines(name):
    """Lines that are not empty."""
    texts = (file.read_text() for file in files_of(name))
    return sum(bool(line.strip()) for text in texts for line in text.splitlines())


def direct(below, name):
    """The rooms that a room imports and that nothing else leads it to."""
    others = {each for room in below[name] for each in _all_below(below, room)}
    return below[name] - others


def _all_below(below, name):
    return set(below[name]).union(*(_all_below(below, each) for each in below[name]))


def floors():
    """Draw a box for each folder, with an arrow to what it imports directly."""
    below = rooms()
    levels = levels_of(below)
    _, axis = plt.subplots(figsize=(WIDTH * 1.5, 0.72 * len(levels)), layout="constrained")
    axis.set(xlim=(0, 1), ylim=(-0.1, len(levels) * (FLOOR + GAP)))
    axis.axis("off")
    box_of = {}
    for floor, names in enumerate(levels):
        width = 1 / len(names)
        for i, name in enumerate(names):
            box_of[name] = Box(i * width + 0.01, floor * (FLOOR + GAP), width - 0.02)
            draw_room(axis, name, box_of[name])
    for name, box in box_of.items():
        for target in direct(below, name):
            draw_arrow(axis, box, box_of[target])


def draw_room(axis, name, box):
    color = CLIENT_COLOR if name in CLIENTS else CORE_COLOR
    shape = {"boxstyle": "round,pad=0,rounding_size=.02", "mutation_aspect": 8}
    look = {"facecolor": color, "edgecolor": color, "alpha": 0.25}
    axis.add_patch(FancyBboxPatch((box.left, box.bottom), box.width, FLOOR, **shape, **look))
    text = f"{name}\n{n_lines(name):,} lines"
    axis.text(box.middle, box.bottom + FLOOR / 2, text, ha="center", va="center")


def draw_arrow(axis, box, target):
    """From the middle of a box down to the nearest point of another."""
    end = np.clip(box.middle, target.left + 0.02, target.left + target.width - 0.02)
    ends = (box.middle, box.bottom), (end, target.bottom + FLOOR)
    axis.add_patch(FancyArrowPatch(*ends, arrowstyle="-|>", mutation_scale=9, color="0.5"))
