"""The seeds of the default run, as pairs.py chooses them."""

NUMBERS = """
2 6 8 11 12 13 14 24 29 37 38 52 54 77 82 83 95 102 112 116 136 170 172 180 210 225 242 268 271
295 328 350 387 389 459 465 477 484 510 515 545 563 572 685 727 826 2786
"""
SEEDS = [*map(int, NUMBERS.split())]
