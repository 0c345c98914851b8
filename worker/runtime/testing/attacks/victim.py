"""Needs a descriptor in flight and an inotify instance, as a DataLoader with workers does."""
import array
import ctypes
import socket

left, right = socket.socketpair()
try:
    left.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))])
    print("descriptor sent")
except OSError as error:
    print("descriptor refused")
print("inotify given" if ctypes.CDLL(None).inotify_init() >= 0 else "inotify refused")
