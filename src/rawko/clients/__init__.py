"""The outside world's ways in: one module or package each, none with logic of its own."""
