import socket

import psutil

assert "lo" in psutil.net_if_addrs() and "lo" in psutil.net_if_stats()
assert (1, "lo") in socket.if_nameindex()
assert psutil.Process().memory_info().rss > 0 and psutil.virtual_memory().total > 0 and psutil.cpu_count() >= 1
assert psutil.disk_usage("/work").total > 0 and psutil.pids()
