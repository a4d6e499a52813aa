"""The engine of before, which few labels and thresholds still need.

It goes with them. Its equations are those of ``docs/methods.md`` whose numbers begin with B. They
call these modules in this order:

- ``model_influences`` finds the influence values of models, from requests.
- ``influence`` gives the influence of each sampling unit on each value. It calls
  ``_sampling_units``, which says what is sampled at random: rows, clusters, positives never scored;
  ``_groups_left_out`` for the bias and the influence of large clusters; ``sizes_and_biases`` for
  what definitions say; and ``_resampling`` for
  the values of new samples, if a definition has no influence. ``_order_of_units`` puts the units in
  an order that does not depend on the order of rows. ``_effective_positives`` has the number of
  positives that each value rests on, and ``_hidden_rows`` the changes by rows that the sample
  lacks.
- ``variance`` computes the sample variance of a score or a difference from the influences, as a
  record of ``shrinkage``, which shrinks it, as a small sample shows too little variance.
  ``_degrees_of_freedom`` has the degrees of freedom of Student's t.
- ``confidence_limits`` turns variances into limits.

In these records, ``n_effective`` is the effective number of positives that the value rests on,
limited by large weights of negatives. ``n_kish`` (Kish 1965) has no such limit, and
``n_positive_rows`` is the number if rows were the units in place of clusters. For a mean over
queries, ``n_effective`` is the effective number of queries, and ``n_with_positives`` the effective
number of queries with a positive.
"""
