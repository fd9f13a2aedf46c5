"""What does each relation of a meaning graph contribute?"""
