"""How near numbers are equal, and how small ones may be divided by."""

# Relative. Sums of a million weights drift by more than a few ulps.
RELATIVE_TOLERANCE = 1e-9
# Absolute, of values within [0, 1]: what rounding leaves between equal ones.
EQUAL = 1e-12
# The least divisor, so that 0 / 0 is 0.
TINY = 1e-300
# Absolute, of numbers that a tool computes in float32.
AS_FLOAT32 = 1e-6
