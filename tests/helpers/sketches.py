"""Pictures of reports that are drawn and not rendered, which takes a fifth of the time of pages."""

import warnings
from html import escape

from sklearn_ap._writing.text import printable


def sketch(picture):
    """Stand in the place of ``_report.page.write_figure``, as nobody looks at the files."""
    with warnings.catch_warnings(category=UserWarning, action="ignore"):
        picture.draw()
    return f'<figure><img alt="{escape(printable(picture.alt))}" src=""></figure>'
