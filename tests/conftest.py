"""Settings for every test."""

import os

from hypothesis import HealthCheck, Phase, settings

os.environ.setdefault("MPLBACKEND", "Agg")  # pictures without a screen
# The tests run side by side, one on each core. A BLAS with threads of its own would slow them down.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
settings.register_profile(
    "default",
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    # To explain a failure takes longer than to find it, and says little about arrays.
    phases=set(Phase) - {Phase.explain},
)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=50)
settings.register_profile("long", settings.get_profile("default"), max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
