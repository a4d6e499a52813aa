"""A folder for each question of a user, and what results share: tables and papers."""
