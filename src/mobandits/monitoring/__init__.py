"""The history of an agent, from its store: numbers per window, alarms, and a page.

`summary` gives the numbers; `write_page` writes them as a folder, as `mobandits monitor` does. See
docs/how-to/monitor.md.
"""

from mobandits.figures.monitor_contents import MonitorSummary
from mobandits.monitoring.command import write_page
from mobandits.monitoring.summary import summary

__all__ = ["MonitorSummary", "summary", "write_page"]
