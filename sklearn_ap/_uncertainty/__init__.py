"""The engine of uncertainty: rows, clusters or queries in, limits out.

``estimate`` makes an ``Estimate`` of a request or of counts, with the equations of
``docs/methods.md`` in their order. It calls ``_sampling`` for effective numbers and sums over rows,
``_units`` for clusters and means, ``_hidden`` for the rows that the sample may lack, ``_halves``
for definitions without influence, and ``_bias`` for means over columns. ``limits`` turns an
estimate into limits at any level, and ``Estimate.enlarged`` is that of a larger sample.
``thresholds`` has the tests behind a guarantee, and ``shares`` the limits of precision and recall.

Beside them, ``warnings`` say when an interval may be too narrow, or means something else than it
seems, and ``label_keys`` notices samples that are the same. ``former`` is what comparisons still
need of the engine before.
"""
