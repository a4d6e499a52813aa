"""Builds the site as Sphinx does, and notes how high the smallest letters of its pictures are.

A picture in pixels does not know its letters any more, so they are noted where matplotlib draws
them: ``letters.json`` in the site has a height in pixels for the name of each file.
"""

import json
import sys
from pathlib import Path, PurePath

from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from sphinx.cmd.build import build_main

draw_text, savefig = RendererAgg.draw_text, Figure.savefig
drawn, saved = [], {}


def noting_draw(self, gc, x, y, text, font, *rest, **options):
    if text.strip():
        drawn.append(self.points_to_pixels(font.get_size_in_points()))
    return draw_text(self, gc, x, y, text, font, *rest, **options)


def noting_save(self, file, *rest, **options):
    drawn.clear()
    savefig(self, file, *rest, **options)
    if drawn and isinstance(file, str | PurePath):
        saved[Path(file).name] = min(drawn)


if __name__ == "__main__":
    RendererAgg.draw_text, Figure.savefig = noting_draw, noting_save
    failed = build_main(sys.argv[1:])
    (Path(sys.argv[-1]) / "letters.json").write_text(json.dumps(saved))
    sys.exit(failed)
