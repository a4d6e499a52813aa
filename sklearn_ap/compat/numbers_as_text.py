"""How numbers are compared, and how they are printed."""

from collections.abc import Iterable
from html import escape
from math import isnan
from typing import Any

__all__ = ["SAME", "as_html", "as_number", "as_share", "difference", "same"]

# Numbers that differ by less are the same; tools in float32 are compared as float32.
SAME = 1e-6


def same(first: float | None, second: float | None, tolerance: float = SAME) -> bool:
    """Tell whether two numbers are the same; None stands for an exception."""
    if first is None or second is None:
        return first is second
    return abs(first - second) <= tolerance or (isnan(first) and isnan(second))


def difference(now: float | None, before: float | None) -> float | None:
    """Subtract two numbers; None where there is none, as for an exception or nan."""
    if now is None or before is None or isnan(now) or isnan(before):
        return None
    return now - before


def as_number(value: float | None) -> str:
    """Print a value."""
    return "raises" if value is None else f"{value:.4f}"


def as_share(share: float | None) -> str:
    """Print a difference, with an exponent where four digits would show none."""
    if share is None:
        return ""
    return f"{share:+.0e}" if 0 < abs(share) < 5e-5 else f"{share:+.4f}"


def as_html(columns: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> str:
    """Lay rows out as a small table: numbers to the right, words to the left."""
    head = "".join(f'<th style="text-align: left">{escape(name)}</th>' for name in columns)
    body = "".join("<tr>" + "".join(map(_html_cell, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td style="text-align: right">{value:.4f}</td>'
    return f'<td style="text-align: left">{"" if value is None else escape(str(value))}</td>'
