"""What all results share: a heading, frames, dicts, doubts and a picture, made from numbers.

``result`` is their protocol, ``sample`` the heading, ``column`` a column of their table, which
``_forest_plot`` draws, and ``doubt`` what makes a result unreliable.
"""
