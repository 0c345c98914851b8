import { z } from 'zod'

const mark = 'gpuq check: '

/**
 * Python that runs inside the image. With `image`, it looks for CUDA without importing torch, which takes seconds. With
 * `gpus UUID…`, it runs a kernel on each GPU, in a process of its own: CUDA shows a process one slice of a GPU only, and
 * a GPU that hangs must not hide the others. It needs the driver's library alone, which the NVIDIA toolkit mounts.
 */
export const imageProgram = `
import ctypes, glob, importlib.util, json, os, runpy, site, subprocess, sys

def report(value):
    print("${mark}" + json.dumps(value), flush=True)

def find_torch():
    spec = importlib.util.find_spec("torch")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = os.path.join(folder, "version.py")
        if os.path.isfile(path):
            values = runpy.run_path(path)
            return {"version": str(values.get("__version__")), "cuda": values.get("cuda")}
    return None

def find_runtime():
    places = ["/usr/local/cuda*/lib64", "/usr/local/cuda*/targets/*/lib", "/usr/lib/*", "/usr/lib64", sys.prefix + "/lib"]
    for folder in site.getsitepackages():
        places += [folder + "/nvidia/*/lib", folder + "/torch/lib"]
    found = [path for place in places for path in glob.glob(place + "/libcudart*.so*")]
    return sorted(found)[0] if found else None

class Failed(Exception):
    pass

PTX = b"""
.version 6.0
.target sm_50
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 sum, .param .u32 count)
{
    .reg .pred %p<2>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<11>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [sum];
    ld.param.u32 %r1, [count];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra DONE;
    cvta.to.global.u64 %rd4, %rd1;
    cvta.to.global.u64 %rd5, %rd2;
    cvta.to.global.u64 %rd6, %rd3;
    mul.wide.u32 %rd7, %r5, 4;
    add.s64 %rd8, %rd4, %rd7;
    add.s64 %rd9, %rd5, %rd7;
    add.s64 %rd10, %rd6, %rd7;
    ld.global.u32 %r6, [%rd8];
    ld.global.u32 %r7, [%rd9];
    add.s32 %r8, %r6, %r7;
    st.global.u32 [%rd10], %r8;
DONE:
    ret;
}
"""

def compute(found):
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise Failed("libcuda.so.1 of the driver is not in the container")

    def call(name, *arguments):
        code = getattr(cuda, name)(*arguments)
        if code != 0:
            text = ctypes.c_char_p()
            cuda.cuGetErrorName(code, ctypes.byref(text))
            raise Failed("%s: %s" % (name, (text.value or b"error %d" % code).decode()))

    call("cuInit", 0)
    version, devices, device = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    call("cuDriverGetVersion", ctypes.byref(version))
    found["cuda"] = "%d.%d" % (version.value // 1000, version.value % 1000 // 10)
    call("cuDeviceGetCount", ctypes.byref(devices))
    if devices.value < 1:
        raise Failed("cuDeviceGetCount: no device")
    call("cuDeviceGet", ctypes.byref(device), 0)
    name = ctypes.create_string_buffer(128)
    call("cuDeviceGetName", name, 128, device)
    found["name"] = name.value.decode()
    found["visible"] = True

    context, module, kernel = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(PTX))
    call("cuModuleGetFunction", ctypes.byref(kernel), module, b"add")
    count, threads = 1 << 16, 256
    numbers = ctypes.c_uint32 * count
    a, b, total = numbers(*range(count)), numbers(*range(1, 3 * count, 3)), numbers()
    size = ctypes.c_size_t(ctypes.sizeof(a))
    memory = [ctypes.c_uint64() for _ in range(3)]
    for pointer in memory:
        call("cuMemAlloc_v2", ctypes.byref(pointer), size)
    call("cuMemcpyHtoD_v2", memory[0], a, size)
    call("cuMemcpyHtoD_v2", memory[1], b, size)
    values = memory + [ctypes.c_uint32(count)]
    parameters = (ctypes.c_void_p * 4)(*[ctypes.addressof(value) for value in values])
    call("cuLaunchKernel", kernel, count // threads, 1, 1, threads, 1, 1, 0, None, parameters, None)
    call("cuCtxSynchronize")
    call("cuMemcpyDtoH_v2", total, memory[2], size)
    if any(total[i] != a[i] + b[i] for i in range(count)):
        raise Failed("the kernel returned wrong numbers")
    found["computed"] = True

def compute_here():
    found = {"visible": False, "computed": False, "name": None, "cuda": None, "error": None}
    try:
        compute(found)
    except Failed as failure:
        found["error"] = str(failure)
    except AttributeError as failure:
        found["error"] = "the driver is too old: %s" % failure
    print(json.dumps(found))

def compute_on(uuid):
    lost = {"uuid": uuid, "visible": False, "computed": False, "name": None, "cuda": None}
    command = [sys.executable, __file__, "gpu"]
    try:
        done = subprocess.run(command, env=dict(os.environ, CUDA_VISIBLE_DEVICES=uuid), capture_output=True, timeout=90)
    except subprocess.TimeoutExpired:
        return dict(lost, error="no result within 90 seconds")
    try:
        return dict(json.loads(done.stdout.splitlines()[-1]), uuid=uuid)
    except (IndexError, ValueError):
        return dict(lost, error="the process ended with code %d: %s" % (done.returncode, done.stderr[-300:].decode(errors="replace")))

if sys.argv[1] == "image":
    report({"torch": find_torch(), "runtime": find_runtime()})
elif sys.argv[1] == "gpus":
    report([compute_on(uuid) for uuid in sys.argv[2:]])
else:
    compute_here()
`

const imageContentSchema = z.object({
  torch: z.object({ version: z.string(), cuda: z.string().nullable() }).nullable(),
  /** The path of a CUDA runtime library. */
  runtime: z.string().nullable(),
})

const gpuResultSchema = z.object({
  uuid: z.string(),
  /** A CUDA program sees it. */
  visible: z.boolean(),
  /** A kernel returned the right numbers. */
  computed: z.boolean(),
  name: z.string().nullable(),
  /** The newest CUDA version that the driver supports. */
  cuda: z.string().nullable(),
  error: z.string().nullable(),
})

export type ImageContent = z.output<typeof imageContentSchema>
export type GpuResult = z.output<typeof gpuResultSchema>

/** Parses the output of `imageProgram image`; null: it reported nothing. */
export function parseImageContent(output: string): ImageContent | null {
  return imageContentSchema.safeParse(reported(output)).data ?? null
}

/** Parses the output of `imageProgram gpus`; null: it reported nothing. */
export function parseGpuResults(output: string): GpuResult[] | null {
  return z.array(gpuResultSchema).safeParse(reported(output)).data ?? null
}

function reported(output: string): unknown {
  const line = output.split('\n').find((text) => text.startsWith(mark))
  if (line === undefined) return null
  try {
    return JSON.parse(line.slice(mark.length))
  } catch {
    return null
  }
}
