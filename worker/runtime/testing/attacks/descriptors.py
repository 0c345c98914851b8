"""Uses up what Linux counts per uid: descriptors in flight over sockets, and inotify instances. Then holds on."""
import array
import ctypes
import os
import resource
import socket
import time

limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
held, in_flight = [], 0
try:
    while in_flight < 4 * limit:
        pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        held.append(pair)
        for _ in range(8):
            pair[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 250))])
            in_flight += 250
except OSError:
    pass
libc = ctypes.CDLL(None)
while libc.inotify_init() >= 0:
    pass
print("holding", in_flight > limit // 2)
time.sleep(600)
