"""From decisions to scores, to pyramids for the rest of Pyramidion, and to what a smaller study would have given."""
