"""What scikit-learn calls: scorers for its searches, and its displays."""
