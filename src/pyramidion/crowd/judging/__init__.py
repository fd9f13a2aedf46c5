"""From votes to decisions: who agrees with whom, who is left out, what is taken to be present."""
