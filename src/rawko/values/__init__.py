"""Frozen values and pure functions on them: no disk, no clock, no environment."""
