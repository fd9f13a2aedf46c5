"""Networks that read a text and a statement, and say whether the one says the other."""
