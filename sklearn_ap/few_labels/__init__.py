"""Which rows to label, and what labels of some rows say of all."""

from sklearn_ap.few_labels._plan import LabelPlan, rows_to_label

__all__ = ["LabelPlan", "rows_to_label"]
