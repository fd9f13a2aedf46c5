"""Statistics: arrays in, plain results out, no input or output."""
