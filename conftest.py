"""An example that needs an engine runs where the engine is installed."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("dask") else ["sklearn_ap/large/on_dask.py"]
