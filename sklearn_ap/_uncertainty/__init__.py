"""The engine of uncertainty: influences of sampling units in, limits and p-values out.

It knows no question of a user. One score has its own engine, in the order of ``docs/methods.md``:

- ``estimate`` makes the estimate of a request, or of counts, with what its limits need.
- ``_sampling`` has the effective numbers, sums over rows, the variance and its degrees of freedom;
  ``_units`` the rows one by one, for clusters and means; ``_halves`` half samples; ``_hidden``
  what the sample lacks; ``_bias`` the bias of means over columns.
- ``limits`` turns estimates into limits, ``enlarge`` plans larger samples, and ``sample_warnings``
  says when an interval may be too narrow.

``segments``, ``few_labels``, comparisons and others call the older modules in this order:

- ``model_influences`` finds the influence values of models, from requests or from counts.
- ``influence`` gives the influence of each sampling unit on each value. It calls
  ``sampling_units``, which says what is sampled at random: rows, clusters, positives never scored;
  ``_groups_left_out`` for the bias and the influence of large clusters; and ``_resampling`` for
  the values of new samples, if a definition has no influence. ``order_of_units`` puts the units in
  an order that does not depend on the order of rows. ``_effective_positives`` has the number of
  positives that each value rests on, and ``_hidden_rows`` the changes by rows that the sample
  lacks.
- ``variance`` computes the sample variance of a score or a difference from the influences, as a
  record of ``shrinkage``, which shrinks it, as a small sample shows too little variance.
  ``degrees_of_freedom`` has the degrees of freedom of Student's t.
- ``confidence_limits`` turns variances into limits, and ``pvalues`` into p-values. ``mover`` turns
  limits of two scores that share no rows into limits and p-values of their difference.

In these records, ``n_effective`` is the effective number of positives that the value rests on,
limited by large weights of negatives. ``n_kish`` (Kish 1965) has no such limit, and
``n_positive_rows`` is the number if rows were the units in place of clusters. For a mean over
queries, ``n_effective`` is the effective number of queries, and ``n_with_positives`` the effective
number of queries with a positive.

Beside them, ``options`` checks what the user chose, and ``warnings`` says when an interval may be
too narrow, or means something else than it seems.
"""
