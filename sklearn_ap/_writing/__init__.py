"""How numbers, names, tables and warnings are written. This room knows no other.

``text`` writes numbers and names, ``table`` tables of them, and ``warning`` issues what is said.
"""
