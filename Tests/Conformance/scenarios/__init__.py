"""The scenarios, by subject; those that a bluetoothd may not survive come last."""

# isort: skip_file
from scenarios import tree  # noqa: F401
from scenarios import discovery  # noqa: F401
from scenarios import connection  # noqa: F401
from scenarios import values  # noqa: F401
from scenarios import notifications  # noqa: F401
from scenarios import errors  # noqa: F401
from scenarios import sizes  # noqa: F401
from scenarios import serving  # noqa: F401
from scenarios import advertising  # noqa: F401
from scenarios import centrals  # noqa: F401
from scenarios import losses  # noqa: F401
from scenarios import ends  # noqa: F401
