"""The seeds of the default run, as pairs.py chooses them."""

NUMBERS = """
1 2 8 12 13 14 23 24 27 29 35 41 49 52 54 58 59 69 82 83 95 102 116 136 170 180 212 233 242 268
271 272 295 328 350 387 389 464 465 484 510 515 545 572 685 727 826 2786
"""
SEEDS = [*map(int, NUMBERS.split())]
