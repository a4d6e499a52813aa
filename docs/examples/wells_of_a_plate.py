"""
Group by plate: test each well against chance
=============================================

Which compounds have an effect? Each well of a plate with a compound is a query. Its replicates, the
other wells with this compound, are the positives, and all other wells are negatives. A compound has
an effect if the profiles of its wells resemble each other more than those of other wells.
"""

# %%
# Here are four compounds of four wells each, and 24 controls. Compounds 0 and 1 have an effect.
import matplotlib.pyplot as plt
import numpy as np

from sklearn_ap import chance_test

rng = np.random.default_rng(4)
compound = np.repeat([0, 1, 2, 3, -1], [4, 4, 4, 4, 24])
effect = rng.normal(size=(5, 20)) * [[1], [1], [0], [0], [0]]
profiles = rng.normal(size=(40, 20)) + effect[compound]
similarity = profiles @ profiles.T
well, other = np.nonzero(~np.eye(40, dtype=bool) & (compound >= 0)[:, None])
same = compound[well] == compound[other]
options = {"average": None, "n_permutations": 9_999}
wells = chance_test(same, similarity[well, other], queries=well, **options)

figure, axis = plt.subplots(layout="constrained")
axis.axhline(0.05, color="0.5", linestyle=":")
axis.semilogy(compound[:16] + np.tile([-0.15, -0.05, 0.05, 0.15], 4), wells.adjusted_pvalue, "o")
axis.set_xticks(range(4), ["0: effect", "1: effect", "2: none", "3: none"])
axis.set(xlabel="compound of the well", ylabel="p-value (Benjamini-Hochberg)")
axis.set_title("Wells below the line resemble their replicates", fontsize="medium")

# %%
# The p-values allow for the number of wells: of those below 0.05, at most 5% are expected to be
# there by chance. Of each compound, this many wells are below:
print((wells.adjusted_pvalue < 0.05).reshape(4, 4).sum(axis=1))

# %%
# One p-value for a compound
# --------------------------
# The p-values of a compound's wells depend on each other, so a test of their mean score rejects too
# often. Twice the median of the p-values is valid, but conservative (Meinshausen, Meier and
# Bühlmann 2009):
doubled = np.minimum(1, 2 * np.median(wells.pvalue.reshape(4, 4), axis=1))
print(doubled.round(4))
