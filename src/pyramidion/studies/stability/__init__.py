"""How many references are enough?"""
