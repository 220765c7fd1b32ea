"""The scenarios, by subject; those that a bluetoothd may not survive come last."""

from importlib import import_module

SUBJECTS = (
    "tree",
    "discovery",
    "connection",
    "values",
    "notifications",
    "indications",
    "sockets",
    "errors",
    "sizes",
    "order",
    "serving",
    "handles",
    "advertising",
    "changes",
    "adverts",
    "centrals",
    "peers",
    "roles",
    "same",
    "losses",
    "ends",
)

for subject in SUBJECTS:
    import_module(f"scenarios.{subject}")
