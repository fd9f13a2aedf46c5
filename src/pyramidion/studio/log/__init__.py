"""The log of a topic: operations, their history, and the store that keeps both."""
