"""gpuq's sample job: fits a straight line to noisy points. It prints the loss while it learns, draws a picture, and prints what it found.

It needs no package. If torch or cupy finds a GPU, it computes there.
"""

import ctypes
import json
import os
import random
import struct
import time
import zlib


NO_DEVICE = 100


def find_gpus():
    """Return the names of the GPUs that the job has, from the driver, and the error of CUDA if it does not start."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return [], 0
    count = ctypes.c_int(0)
    code = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
    if code != 0:
        return [], 0 if code == NO_DEVICE else code
    names = []
    for index in range(count.value):
        device, name = ctypes.c_int(0), ctypes.create_string_buffer(128)
        driver.cuDeviceGet(ctypes.byref(device), index)
        driver.cuDeviceGetName(name, len(name), device)
        names.append(name.value.decode())
    return names, 0


def choose_arrays():
    """Return the function that makes an array, whether arrays are on the GPU, and the package that computes."""
    try:
        import torch

        if torch.cuda.is_available():
            return lambda values: torch.tensor(values, device="cuda"), True, f"torch {torch.__version__}"
        return torch.tensor, False, f"torch {torch.__version__}"
    except ImportError:
        pass
    try:
        import cupy

        if cupy.cuda.is_available():
            return cupy.asarray, True, f"cupy {cupy.__version__}"
    except ImportError:
        pass
    return Numbers, False, "Python alone"


class Numbers(list):
    """A list of numbers with the few operations that the fit needs."""

    def _combine(self, other, operation):
        others = other if isinstance(other, list) else [other] * len(self)
        return Numbers(operation(one, two) for one, two in zip(self, others))

    def __add__(self, other):
        return self._combine(other, lambda one, two: one + two)

    def __sub__(self, other):
        return self._combine(other, lambda one, two: one - two)

    def __mul__(self, other):
        return self._combine(other, lambda one, two: one * two)

    def mean(self):
        return sum(self) / len(self)


to_array, on_gpu, package = choose_arrays()
gpus, cuda_error = find_gpus()
if on_gpu:
    place = f"GPU 0 ({gpus[0]})" if gpus else "GPU 0"
elif gpus:
    place = f"the CPU, because it cannot use GPU 0 ({gpus[0]})"
elif cuda_error:
    place = f"the CPU, because CUDA does not start (error {cuda_error})"
else:
    place = "the CPU, because it finds no GPU"
print(f"Hello from gpuq: {package} computes on {place}.")

random.seed(1)
points = [-1 + 2 * index / 199 for index in range(200)]
x = to_array(points)
values = [3.0 * point + 0.5 + random.gauss(0, 0.1) for point in points]
y = to_array(values)

STEPS = 50


def draw(path, points, values, slope, offset, size=320):
    """Write a picture of the points and the line as a PNG file."""
    white, blue, red = (255, 255, 255), (82, 82, 216), (192, 49, 47)
    rows = [[white] * size for _ in range(size)]

    def dot(point, value, colour):
        column = round((point + 1) / 2 * (size - 3))
        row = round((4.5 - value) / 8 * (size - 3))
        for down in range(3):
            for right in range(3):
                if 0 <= row + down < size and 0 <= column + right < size:
                    rows[row + down][column + right] = colour

    for point, value in zip(points, values):
        dot(point, value, blue)
    for step in range(size):
        point = 2 * step / size - 1
        dot(point, slope * point + offset, red)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    lines = b"".join(b"\0" + bytes(value for pixel in row for value in pixel) for row in rows)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)))
        file.write(chunk(b"IDAT", zlib.compress(lines)))
        file.write(chunk(b"IEND", b""))


# A line that is JSON becomes a result. Its numbers become curves, which the job's page draws while the job runs.
slope = offset = 0.0
for step in range(1, STEPS + 1):
    error = x * slope + offset - y
    print(json.dumps({"step": step, "loss": round(float((error * error).mean()), 5)}), flush=True)
    slope -= 0.3 * float((error * x).mean())
    offset -= 0.3 * float(error.mean())
    # A real program learns for longer.
    time.sleep(0.08)

# gpuq keeps what a job writes to /results: the page shows it under Files.
results = os.environ.get("RESULTS", "/results")
if os.path.isdir(results):
    draw(os.path.join(results, "fit.png"), points, values, slope, offset)

print(json.dumps({"slope": round(slope, 3), "offset": round(offset, 3)}))
