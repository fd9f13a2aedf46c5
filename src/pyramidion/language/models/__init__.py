"""The models that ship: their weights in a folder each, with a card, and what loads and checks them."""
