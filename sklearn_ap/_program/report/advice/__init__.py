"""What segments change in the advice about all rows: which model, which threshold, what to say."""
