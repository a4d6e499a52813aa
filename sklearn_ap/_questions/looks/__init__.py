"""How sure each look at growing data must be."""
