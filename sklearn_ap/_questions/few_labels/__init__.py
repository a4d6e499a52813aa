"""Which rows to label, and what labels of some rows say of all."""
