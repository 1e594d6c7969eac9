"""An experiment: whose it is, what is known of it, and how it gets its next points.

The library, the manager, the command line and the pages ask it; it knows nothing of them.
"""
