"""Colours of pictures, and figures in pages."""

from base64 import b64encode
from html import escape
from io import BytesIO

from sklearn_ap._extras import printable
from sklearn_ap._types import Figure

# Okabe and Ito's colours, which the colour-blind can tell apart.
COLORS = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9"


def svg_image(figure: Figure, alt: str, **options: object) -> str:
    """Embed a figure in an image, which other figures on the page cannot change."""
    from matplotlib import rc_context

    file = BytesIO()
    with rc_context({"svg.hashsalt": "sklearn_ap"}):  # the same picture has the same text
        figure.savefig(file, format="svg", **options)
    data = b64encode(file.getvalue()).decode()
    return f'<img alt="{escape(printable(alt))}" src="data:image/svg+xml;base64,{data}">'
