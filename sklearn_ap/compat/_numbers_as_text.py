"""How numbers are compared, and how they are printed."""

from math import isnan

from sklearn_ap._inputs.tolerances import AS_FLOAT32


def same(first: float | None, second: float | None, tolerance: float = AS_FLOAT32) -> bool:
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
    return "raises" if value is None else f"{value:.4f}"


def as_share(share: float | None) -> str:
    """Print a difference, with an exponent where four digits would show none."""
    if share is None:
        return ""
    return f"{share:+.0e}" if 0 < abs(share) < 5e-5 else f"{share:+.4f}"
