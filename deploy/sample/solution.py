"""gpuq's sample job: fits a straight line to noisy points, and prints what it found.

It needs no package. If torch or cupy finds a GPU, it computes there.
"""

import ctypes
import json
import random


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
y = to_array([3.0 * point + 0.5 + random.gauss(0, 0.1) for point in points])

slope = offset = 0.0
steps = []
for step in range(1, 101):
    error = x * slope + offset - y
    if step in (1, 10, 30, 100):
        steps.append({"step": step, "loss": round(float((error * error).mean()), 4)})
        print("step {step:3d}  loss {loss:.4f}".format(**steps[-1]))
    slope -= 0.6 * float((error * x).mean())
    offset -= 0.6 * float(error.mean())

# A line that is JSON becomes a result: the job's page shows it as a table, a tree or a chart.
print(json.dumps({"slope": round(slope, 3), "offset": round(offset, 3), "steps": steps}))
