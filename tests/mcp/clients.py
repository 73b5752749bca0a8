"""All checks with the official Python client. STANDOFF names the program; arguments choose checks by a part of their name."""

import games  # noqa: F401
import remote  # noqa: F401
import seats  # noqa: F401
import waiting  # noqa: F401
import wire  # noqa: F401
from harness import main

main()
