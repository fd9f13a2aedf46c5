"""Which systems are better than which, and how sure is that?"""
