"""The engine of uncertainty: influences of sampling units in, limits and p-values out.

It knows no question of a user: ``intervals``, ``segments``, ``few_labels`` and the others ask it. A
request passes these modules from top to bottom:

- ``model_influences`` finds the influence values of models, from requests or from counts. It uses
  ``influence_of_cells`` for counts that have clusters or weights.
- ``sampling_units`` says what is sampled at random: rows, clusters, positives never scored.
- ``influence`` gives the influence of each sampling unit on each value, ``jackknife`` the bias and
  the influence of large clusters, and ``resampling`` the values of new samples, for definitions
  that have no influence. ``order_of_units`` puts the units in an order that the order of rows does
  not decide.
- ``variance`` makes the variance of a score over rows, queries or clusters: the sum of squared
  influence values. ``shrinkage`` shrinks it, as a small sample shows too little.
- ``confidence_limits`` makes limits and p-values of those.

Beside them, ``options`` checks what the user chose, and ``warnings`` says when a result rests on
too little.
"""
