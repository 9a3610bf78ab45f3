"""Bytes on disk: the only room that writes."""
