"""Data that every engine can make, from integers alone, with average precisions known exactly."""

import numpy as np

FIELDS = (
    *("thresholds", "gained", "tps", "fps", "fps_above"),
    *("starts", "n_positives", "n_negatives"),
)

# Rows, c, positives, thresholds and step average precision, from Python's integers and fractions.
KNOWN = [
    (200_000, 25, 4080, 4080, 0.03419526255424999),
    (1_000_000, 25, 19951, 19938, 0.033133743240624805),
    (1_000_000, 250, 1992, 1992, 0.0032704966329808833),
    (1_000_000, 1, 498976, 490052, 0.8330403565906414),
]


def mix(x):
    """Scramble the bits of whole numbers below 2**32."""
    x = x * 0x2C1B3C6D & 0xFFFFFFFF
    x ^= x >> 15
    x = x * 0x297A2D39 & 0xFFFFFFFF
    return x ^ x >> 13


def rows(start, stop, c=25):
    i = np.arange(start, stop, dtype=np.int64)
    h, g = mix(i), mix(i + 0x9E3779B9)
    return g * c < h, (h / 2**32).astype(np.float32)


def weights(start, stop):
    return (mix(np.arange(start, stop, dtype=np.int64) + 7) % 4).astype(np.float64)


def chunks(n, size, c=25, weighted=False):
    for start in range(0, n, size):
        stop = min(start + size, n)
        part = rows(start, stop, c)
        yield (*part, weights(start, stop)) if weighted else part


def assert_same(ours, expected):
    for name in FIELDS:
        one, other = getattr(ours, name), getattr(expected, name)
        np.testing.assert_array_equal(one, other, err_msg=name)
        assert one.dtype == other.dtype, name
