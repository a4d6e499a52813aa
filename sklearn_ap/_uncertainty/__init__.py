"""How sure a score is: what ``sklearn_ap.intervals`` offers is computed here.

A request passes these modules from top to bottom:

- ``folds`` makes a request of a cross-validation: ``folds.pooling`` pools the test rows,
  ``folds.training_prevalence`` says how the training rows shift the scores of a fold, and
  ``folds.overfitting`` how they link models.
- ``model_influences`` finds the influence values of models, from requests or from counts, and
  ``best_of_many`` which model is the best. They use the modules below.
- ``sampling_units`` says what is sampled at random: rows, clusters, positives never scored.
- ``influence`` gives the influence of each sampling unit on each value, ``jackknife`` the bias and
  the influence of large clusters, and ``resampling`` the values of new samples, for definitions
  that have no influence. ``order_of_units`` puts the units in an order that the order of rows does
  not decide.
- ``variance`` makes the variance of a score over rows, queries or clusters: the sum of squared
  influence values (``sample_variance``). ``shrinkage`` shrinks it, as a small sample shows too
  little.
- ``confidence_limits`` makes limits and p-values of those, and ``sample_size`` solves them for the
  size of the sample.

``few_labels`` joins the influences of labelled rows with those of what a judge says, and
``segments`` compares groups of rows.

``permutation`` answers another question by itself: what do random orders of the labels score?

Beside them, ``options`` checks what the user chose, ``warnings`` says when a result rests on too
little, and ``guaranteed_thresholds`` tests which thresholds keep a guarantee.
"""
