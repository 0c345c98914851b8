"""Creates one object of each kind that processes can share, prints that it did, and waits."""
import ctypes
import os
import socket
import time

with open("/dev/shm/secret", "w") as file:
    file.write("secret")
abstract = socket.socket(socket.AF_UNIX)
abstract.bind("\0secret")
abstract.listen()
port = socket.socket()
port.bind(("127.0.0.1", 45678))
port.listen()
ctypes.CDLL(None).shmget(0x5EC1237, 4096, 0o1666)
print("holding")
time.sleep(60)
