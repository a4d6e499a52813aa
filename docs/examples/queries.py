"""
Score queries in a search, with metadata routing
================================================

A search engine ranks the documents of each query. Scores of different queries need not be
comparable, so each query is a ranking of its own, and the mean over queries is MAP. scikit-learn's
metadata routing carries the queries to the scorer.
"""

import matplotlib.pyplot as plt
import numpy as np
import sklearn
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, GroupKFold

from sklearn_ap import AveragePrecisionDisplay, average_precision_score, get_scorer

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
# ``GroupKFold`` gets the queries as ``groups`` and keeps each query whole. The scorer asks for
# ``queries``, and ``set_score_request`` lets it take the same array. Regressors have only
# ``predict``, and its values rank the documents.

scorer = get_scorer(
    "average_precision", by_query=True, response_method="predict", zero_division=np.nan
).set_score_request(queries="groups")
for model, grid in (
    (LinearRegression(), {"fit_intercept": [True]}),
    (RandomForestRegressor(50, random_state=0), {"min_samples_leaf": [1, 5, 25]}),
):
    search = GridSearchCV(model, grid, scoring=scorer, cv=GroupKFold(5), error_score="raise")
    search.fit(X, relevant, groups=query)
    print(f"{type(model).__name__:<22} MAP {search.best_score_:.3f} with {search.best_params_}")

# %%
# One feature includes the offset of its query. It ranks well within each query. In one big ranking
# it gives another number, because the offsets of the queries count, too. Queries without a relevant
# document are left out.

has_relevant = np.bincount(query, relevant)[query] > 0
query, relevant, score = query[has_relevant], relevant[has_relevant], X[has_relevant, 5]
by_query = average_precision_score(relevant, score, queries=query)
print(f"by query        {by_query:.3f}")
print(f"as one ranking  {average_precision_score(relevant, score):.3f}")

figure, axis = plt.subplots(layout="constrained")
AveragePrecisionDisplay.from_predictions(
    relevant, score, queries=query, name="by query", plot_chance_level=False, ax=axis
)
AveragePrecisionDisplay.from_predictions(
    relevant, score, name="as one ranking", plot_chance_level=False, ax=axis
)

# %%
# The mean hides how much queries differ.

AveragePrecisionDisplay.from_predictions(
    relevant[:450], score[:450], queries=query[:450], confidence_level=0.95
)
sklearn.set_config(enable_metadata_routing=False)
