"""Do several scores together predict people's better than each alone?"""
