"""The pages of the studio: one file a kind of page."""
