"""How far do annotators agree?"""
