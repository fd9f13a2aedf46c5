"""Words to trees, clauses, propositions and discourse units, by the embedded model or another parser."""
