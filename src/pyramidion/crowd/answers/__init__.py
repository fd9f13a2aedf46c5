"""The answers of workers: read from any marketplace or page, checked against the study, stored once."""
