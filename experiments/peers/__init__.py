"""This project's optimizer and its peers behind one face (see `adapters`)."""
