"""Results for people: tables and explanations."""
