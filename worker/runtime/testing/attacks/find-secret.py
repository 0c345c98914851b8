"""Looks for everything that hold-secret.py creates."""
import ctypes
import os
import socket


def connects(family, address):
    try:
        socket.socket(family).connect(address)
        return True
    except OSError:
        return False


found = {
    "file": os.path.exists("/dev/shm/secret"),
    "abstract socket": connects(socket.AF_UNIX, "\0secret"),
    "shared memory": ctypes.CDLL(None).shmget(0x5EC1237, 4096, 0o666) >= 0,
    "port": connects(socket.AF_INET, ("127.0.0.1", 45678)),
}
print([name for name, there in found.items() if there])
