"""Speed: one log posterior and one suggestion, beside LAPACK's own time and beside the peers."""
