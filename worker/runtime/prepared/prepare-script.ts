import { beginsWith } from './begins-with'

/** How long the imports may take. */
export const prepareLimitS = 60

/** Below `/results` while it is there: the imports are made. The worker removes it. */
export const readyFile = '.gpuq-prepared'

/** The exit code of a container whose imports cannot be used. Its output is the reason. */
export const unusableExitCode = 70

/**
 * Python that runs in a warm container before its job is known. Python executes a module of this name at its start, before it opens
 * the program. So it can import modules, wait, and return: then Python runs the program as it always does, with no frame below
 * it, and no process that anything has to be copied from.
 *
 * It stays faithful by giving up: a program to which the early imports could make a difference is executed by a new Python.
 */
export const prepareScript = String.raw`
import fcntl, io, os, re, select, signal, sys, tokenize

control = 3
folder = os.path.dirname(os.path.abspath(__file__))
job = os.path.dirname(folder)
program = job + "/solution.py"
ready = "/results/${readyFile}"

# Native libraries and Python itself read these when they are loaded.
read_early = re.compile(
    rb"PYTHON|LD_|LC_|LANG|TZ|MALLOC_|GLIBC_|OMP_|GOMP_|KMP_|MKL_|OPENBLAS|GOTO_|BLIS_|BLAS_|VECLIB_|NUMEXPR_|NUMBA_|TBB_|DNNL_|ONEDNN_"
    rb"|C10_|TORCH|PYTORCH|ATEN_|CUDA|CUBLAS|CUDNN|CUPY_|NVIDIA_|NVTE_|NCCL_|HIP_|HSA_|ROC|MIOPEN_|TF_|XLA_|JAX_|ORT_"
)


def restore_path():
    """Removes the folder of this module from Python's path."""
    own, _, rest = os.environ["PYTHONPATH"].partition(":")
    if rest:
        os.environ["PYTHONPATH"] = rest
    else:
        del os.environ["PYTHONPATH"]
    sys.path.remove(own)
    sys.path_importer_cache.pop(own, None)


def import_hidden():
    """Imports the module of the same name that the image may have. Returns whether it has one."""
    del sys.modules["sitecustomize"]
    try:
        import sitecustomize
    except ImportError as error:
        if error.name == "sitecustomize":
            return False
        raise
    return True


class Recorder(dict):
    """The variables, and which of them were used."""

    def __init__(self, values):
        super().__init__(values)
        self.used = set()
        self.all_used = False

    def __getitem__(self, name):
        self.used.add(name)
        return super().__getitem__(name)

    def __setitem__(self, name, value):
        self.used.add(name)
        super().__setitem__(name, value)

    def __delitem__(self, name):
        self.used.add(name)
        super().__delitem__(name)

    def __iter__(self):
        self.all_used = True
        return super().__iter__()

    def items(self):
        self.all_used = True
        return super().items()


def use_variables(values):
    os.environ._data = os.environb._data = values


def signal_ready():
    """The worker finds a file. Without this directory, it waits until the time for the imports is over."""
    try:
        os.close(os.open(ready, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except OSError:
        pass


def clear_ready():
    """A job may come before the worker has removed the file."""
    try:
        os.unlink(ready)
    except OSError:
        pass


def refuse(reason):
    if select.select([control], [], [], 0)[0]:
        run_plain()
    os.write(2, reason.encode("utf-8", "replace"))
    os._exit(${unusableExitCode})


def import_all(modules):
    """Imports the modules, and refuses those that leave more than themselves."""
    main = sys.modules["__main__"]
    main.__file__ = program
    captured = os.memfd_create("gpuq-prepare")
    for stream in (1, 2):
        os.dup2(captured, stream)
    problem = ""
    for module in modules:
        try:
            # As the program does, because Python shows some warnings to __main__ only.
            exec("import " + module, {"__name__": "__main__"})
        except BaseException as error:
            problem = "import %s failed: %s: %s" % (module, type(error).__name__, error)
            break
    del main.__file__
    for stream, copy in saved.items():
        os.dup2(copy, stream)
        os.close(copy)
    saved.clear()
    os.lseek(captured, 0, os.SEEK_SET)
    printed = os.read(captured, 1000).decode("utf-8", "replace").strip()
    os.close(captured)
    if not problem and printed:
        problem = "the imports print text, which a job would miss: " + printed
    for name in os.listdir("/proc/self/fd"):
        try:
            path = os.readlink("/proc/self/fd/" + name)
        except OSError:
            continue
        if path.startswith(("/dev/nvidia", "/dev/kfd", "/dev/dri")):
            problem = problem or "the imports use a GPU (%s), which may belong to another job meanwhile" % path
        if path.startswith("/memfd:gpuq-prepare"):
            problem = problem or "the imports keep a copy of standard output or error"
    torch = sys.modules.get("torch")
    if not problem and torch is not None and torch.cuda.is_initialized():
        problem = "the imports initialize CUDA, which takes memory of a GPU that may belong to another job"
    if problem:
        refuse(problem)


def stop_listening():
    signal.alarm(0)
    flags = fcntl.fcntl(control, fcntl.F_GETFL)
    fcntl.fcntl(control, fcntl.F_SETFL, flags & ~os.O_ASYNC)
    signal.signal(signal.SIGIO, signal.SIG_DFL)


def run_plain():
    """Executes the job without the imports, as in a warm container that has none."""
    stop_listening()
    for stream, copy in saved.items():
        os.dup2(copy, stream)
    # Python ignores these, and a program inherits that.
    for name in ("SIGPIPE", "SIGXFSZ"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2:
            try:
                os.close(int(name))
            except OSError:
                pass
    os.execve("/bin/sh", ["sh", "-c", ". " + job + "/.start"], original)


${beginsWith}


def read_start(modules, recorder):
    """Returns the variables and arguments of the job; None if it needs a new Python."""
    with open(job + "/.start-python", "rb") as file:
        variables, _, arguments = file.read().partition(b"\0\0")
    # A program of several MB is not worth the time.
    with open(program, "rb") as file:
        source = file.read(1_000_001)
    if len(source) > 1_000_000 or not begins_with(modules, source):
        return None
    changes = []
    for entry in variables.split(b"\0"):
        name, _, value = entry.partition(b"=")
        if recorder.get(name) == value:
            continue
        if recorder.all_used or name in recorder.used or read_early.match(name):
            return None
        changes.append((name, value))
    return changes, [os.fsdecode(argument) for argument in arguments.split(b"\0")[:-1]]


def prepare():
    with open(folder + "/modules") as file:
        modules = file.read().split()
    saved.update((stream, os.dup(stream)) for stream in (1, 2))
    recorder = Recorder(os.environb._data)
    # A job may come at any time. It does not wait for the imports.
    signal.signal(signal.SIGIO, lambda *_: run_plain())
    signal.alarm(${prepareLimitS})
    fcntl.fcntl(control, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(control, fcntl.F_SETFL, fcntl.fcntl(control, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([control], [], [], 0)[0]:
        run_plain()
    use_variables(recorder)
    import_all(modules)
    stop_listening()
    signal_ready()
    if os.read(control, 1) == b"":
        os._exit(1)
    clear_ready()
    try:
        start = read_start(modules, recorder)
    except Exception:
        start = None
    if start is None:
        run_plain()
    use_variables(dict(dict.items(recorder)))
    changes, arguments = start
    for name, value in changes:
        os.environb[name] = value
    os.close(control)
    sys.argv[1:] = arguments
    if hasattr(sys, "orig_argv"):
        sys.orig_argv[3:] = arguments


restore_path()
# The variables of the container, and copies of its standard output and error.
original, saved = dict(os.environb), {}
try:
    has_hidden = import_hidden()
    prepare()
except Exception as error:
    refuse("%s: %s" % (type(error).__name__, error))
if not has_hidden:
    # As if this module did not exist either.
    raise ImportError("No module named 'sitecustomize'", name="sitecustomize")
`.trimStart()
