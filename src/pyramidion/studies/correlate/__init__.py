"""How far do two kinds of scores agree?"""
