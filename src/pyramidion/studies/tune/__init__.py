"""Which parameters agree best with people, and would others have been found?"""
