"""What a real bluetoothd makes of each code that a ball can refuse with."""

CHECKS = []
