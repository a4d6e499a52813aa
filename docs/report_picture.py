"""Draw report.png, the page that the report of report.md saves, in Chromium where there is one."""

import re
import shutil
import subprocess
import tempfile
from doctest import DocTestParser
from pathlib import Path

import numpy as np
from PIL import Image

DOCS = Path(__file__).parent
BROWSERS = "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"
SIZE = "900,1200"  # of the window: on a page, its letters have 10 pixels or more
LARGEST_CHANGE = 0.8  # of the mean of all pixels, of 255: one line of words changes it by 1


def page():
    """Run the first example of the page, and return its report."""
    code = re.search(r"(?s)```python\n(.*?)```", (DOCS / "report.md").read_text())[1]
    known = {}
    for example in DocTestParser().get_examples(code):
        if "save" not in example.source:
            exec(example.source, known)
    return known["found"]


def draw(folder):
    """Draw the page as a file in a folder."""
    browser = next(filter(None, map(shutil.which, BROWSERS)))
    source, image = Path(folder) / "report.html", Path(folder) / "report.png"
    page().save(source)
    flags = "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"
    flags += f"--window-size={SIZE}", "--force-device-scale-factor=1.3"
    own = f"--user-data-dir={folder}/profile", f"--screenshot={image}"
    subprocess.run([browser, *flags, *own, source.as_uri()], check=True, capture_output=True)
    return Image.open(image).convert("RGB")


def replace_if_stale(*_):
    """Replace docs/report.png if the page looks other than it."""
    if not any(map(shutil.which, BROWSERS)):
        return
    path = DOCS / "report.png"
    with tempfile.TemporaryDirectory() as folder:
        new = draw(folder)
    old = Image.open(path).convert("RGB")
    if old.size != new.size or np.abs(np.asarray(old, float) - new).mean() > LARGEST_CHANGE:
        new.quantize(64).save(path, optimize=True)
