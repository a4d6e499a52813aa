"""
Queries, with metadata routing
==============================

A search engine ranks the documents of each query. Scores of different queries need not be
comparable, so each query is a ranking of its own, and their mean is MAP. scikit-learn's metadata
routing carries the queries to the scorer.
"""

import matplotlib.pyplot as plt
import numpy as np
import sklearn
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, GroupKFold

from sklearn_ap import average_precision_score, get_scorer

sklearn.set_config(enable_metadata_routing=True)

# %%
# 200 queries with 15 documents each. In some queries all documents look relevant, by an amount that
# has nothing to do with which of them are.

rng = np.random.default_rng(0)
query = np.repeat(np.arange(200), 15)
X = rng.normal(size=(query.size, 6))
relevant = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=query.size) > 2.2).astype(int)
X[:, 5] = np.repeat(rng.normal(scale=3, size=200), 15) + X[:, 0]

# %%
# The scorer asks for ``groups``, and the search passes them both to it and to ``GroupKFold``, which
# keeps each query whole. Regressors have only ``predict``, and it ranks.

scorer = get_scorer(
    "average_precision", by_group=True, response_method="predict", zero_division=np.nan
)
for model, grid in (
    (LinearRegression(), {"fit_intercept": [True]}),
    (RandomForestRegressor(50, random_state=0), {"min_samples_leaf": [1, 5, 25]}),
):
    search = GridSearchCV(model, grid, scoring=scorer, cv=GroupKFold(5), error_score="raise")
    search.fit(X, relevant, groups=query)
    print(f"{type(model).__name__:<22} MAP {search.best_score_:.3f} with {search.best_params_}")

# %%
# One feature carries the offset of its query. By query it ranks well; as one big ranking it gives
# another number, in which the offsets count.

score = X[:, 5]
by_query = average_precision_score(
    relevant, score, groups=query, average=None, zero_division=np.nan
)
print(
    f"by query {np.nanmean(by_query):.3f}, as one ranking "
    f"{average_precision_score(relevant, score):.3f}"
)

figure, axis = plt.subplots(layout="constrained")
axis.hist(by_query[~np.isnan(by_query)], bins=np.linspace(0, 1, 21), color="#56B4E9")
axis.axvline(np.nanmean(by_query), color="#0072B2", label="mean over queries (MAP)")
axis.axvline(
    average_precision_score(relevant, score),
    color="#D55E00",
    linestyle="--",
    label="one big ranking",
)
axis.set(xlabel="average precision of a query", ylabel="queries")
axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=2, frameon=False)
sklearn.set_config(enable_metadata_routing=False)
