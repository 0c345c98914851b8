"""Fills every writable path, by size and by number of files, and prints how each attempt ended."""
import errno
import json
import os

ends = {}
block = b"x" * (1 << 20)
for folder in ("/work", "/tmp", "/dev/shm"):
    path = f"{folder}/big"
    written = 0
    try:
        with open(path, "wb", buffering=0) as file:
            while written < 1 << 40:
                written += file.write(block)
    except OSError as error:
        ends[f"{folder} by size"] = [errno.errorcode[error.errno], written >> 20]
    os.remove(path)

    with open(path, "wb") as file:
        file.truncate(1 << 40)
    used = os.stat(path).st_blocks
    ends[f"{folder} by a sparse file"] = used
    os.remove(path)

    made = 0
    try:
        while made < 1 << 20:
            os.mkdir(f"{folder}/{made}")
            made += 1
    except OSError as error:
        ends[f"{folder} by files"] = [errno.errorcode[error.errno], made]
    for number in range(made):
        os.rmdir(f"{folder}/{number}")
print(json.dumps(ends))
