"""Trials of users and permissions on real servers; started by `ops/check_permissions.py`."""
