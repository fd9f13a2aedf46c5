"""Every analysis: one function that takes values and returns a frozen result."""
