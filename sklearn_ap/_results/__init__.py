"""What all results share: sentences, tables, frames, dicts and a picture, made from numbers.

``result`` is their protocol, ``sample`` the heading, ``column`` a column of their ``table``, which
``_forest_plot`` draws. ``text`` writes numbers and names, and ``warning`` issues warnings.
"""
