import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  prepareCommand,
  startScript,
  waitCommand,
  writePrepareFiles,
  writeStartFiles,
} from '../spec/start-script'
import { prepareScript, readyFile, unusableExitCode } from './prepare-script'

/** The modules of an image: one that records its import, and some that cannot be prepared. */
const modules: Record<string, string> = {
  sample: `
import os, threading
with open(os.environ["RECORD"], "a") as file: file.write("imported\\n")
level = os.environ.get("SAMPLE_LEVEL", "0")
def fail(): raise KeyError("from a prepared module")`,
  chatty: 'print("Hello from a module")',
  broken: 'raise OSError("no such device")',
  crashing: 'import os\nos.kill(os.getpid(), 11)',
  copying: 'import os\ncopy = os.dup(2)',
}

/** Not a script that starts Python, as some version managers have. Hosts may have no `python`. */
const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], {
  encoding: 'utf8',
}).trim()

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-prepare-'))
  await mkdir(join(root, 'modules'))
  for (const [name, source] of Object.entries(modules))
    await writeFile(join(root, 'modules', `${name}.py`), source)
})
afterAll(() => rm(root, { recursive: true }))

interface Program {
  args?: string[]
  env?: Record<string, string>
  /** Sent when it has printed a line. */
  signal?: NodeJS.Signals
  /** Whether other processes import the module too. */
  hasChildren?: boolean
}

interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** How often the module `sample` was imported. */
  imports: number
}

let runs = 0

/** A directory like `/job`, and what a container has around it. */
async function openContainer() {
  const directory = join(root, String(runs++))
  await mkdir(join(directory, 'results'), { recursive: true })
  const record = join(directory, 'record')
  const env = {
    PATH: process.env.PATH ?? '',
    LANG: 'C.UTF-8',
    HOME: '/tmp',
    PYTHONPATH: join(root, 'modules'),
    PYTHONDONTWRITEBYTECODE: '1',
    RECORD: record,
    GPUQ_JOB_ID: '',
    NODE_ENV: 'test' as const,
  }
  const local = (text: string) => text.replaceAll('/job', directory).replaceAll(' python ', ` ${python} `)
  const start = ([program = '', ...args]: string[]) =>
    spawn(program, args.map(local), { env, cwd: directory, stdio: 'pipe' })
  const finish = async (child: ChildProcess, { signal }: Program = {}): Promise<Ended> => {
    const printed = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        printed[name] += text
        if (signal !== undefined && name === 'stdout' && text.includes('\n')) child.kill(signal)
      })
    const [code, ended] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
      child.on('close', (...how) => resolve(how)),
    )
    const plain = (text: string) =>
      text
        .replaceAll(directory, '/job')
        .replaceAll(/0x[0-9a-f]+/g, '0x')
        .replaceAll(/started \d+/g, 'started')
    const lines = existsSync(record) ? await readFile(record, 'utf8') : ''
    const imports = lines.split('\n').length - 1
    return { code, signal: ended, stdout: plain(printed.stdout), stderr: plain(printed.stderr), imports }
  }
  const giveJob = async (source: string, { args = [], env: own = {} }: Program, isPrepared: boolean) => {
    await writeFile(join(directory, 'solution.py'), source)
    const environment = Object.entries({ GPUQ_JOB_ID: '7', ...own }).map((pair) => pair.join('='))
    const command = ['python', '-u', '/job/solution.py', ...args]
    await writeStartFiles(directory, { environment, command, isPrepared })
    const here = [python, '-u', join(directory, 'solution.py'), ...args]
    await writeFile(join(directory, '.start'), startScript(environment, here))
  }
  const prepare = async (names: string[]) => {
    await writePrepareFiles(directory, names)
    const script = prepareScript.replaceAll('/results', join(directory, 'results'))
    await writeFile(join(directory, '.prepare', 'sitecustomize.py'), script)
    return start(prepareCommand)
  }
  const untilReady = () =>
    vi.waitUntil(() => existsSync(join(directory, 'results', readyFile)), { timeout: 60_000 })
  return { directory, start, finish, giveJob, prepare, untilReady }
}

async function runPlain(source: string, program: Program = {}): Promise<Ended> {
  const container = await openContainer()
  await container.giveJob(source, program, false)
  const child = container.start(waitCommand)
  child.stdin?.end('\n')
  return container.finish(child, program)
}

async function runPrepared(source: string, program: Program = {}): Promise<Ended> {
  const container = await openContainer()
  const child = await container.prepare(['sample'])
  await container.untilReady()
  await container.giveJob(source, program, true)
  child.stdin?.end('\n')
  const ended = await container.finish(child, program)
  expect(existsSync(join(container.directory, 'results', readyFile))).toBe(false)
  return ended
}

const programs: Record<string, [source: string, program?: Program]> = {
  'its arguments, variables, flags and module': [
    `"""A docstring."""
import os, sys, sample
print(sys.argv, sys.orig_argv, sys.path, sys.flags, sys.executable, sys.warnoptions)
print(sorted(globals()), __file__, __spec__, __name__, __package__, __cached__, __loader__)
print(sorted(os.environ.items()), os.getcwd(), os.umask(0), os.getsid(0) > 0, "sitecustomize" in sys.modules)
print([path for path in sys.path_importer_cache if "/.prepare" in path], "\\udce9" in ascii(sys.argv))`,
    { args: ['a b', 'é ā', '', '-u', 'line\nbreak\n'], env: { WORD: "it's\n$HOME", EMPTY: '', PWD: '/x' } },
  ],
  'its streams and descriptors': [
    `import os, sys, sample
print(sys.stdin, sys.stdout, sys.stderr, sys.stdin.seekable(), repr(sys.stdin.read()), sys.stdin.buffer.raw)
print(sorted(os.listdir("/proc/self/fd")), os.readlink("/proc/self/fd/0"))
print(sys.stdout.line_buffering, sys.stdout.write_through, open("/proc/self/comm").read().startswith("python"))
input()`,
  ],
  'signal handlers and threads': [
    `import signal, sample, threading, faulthandler, gc
print([str(signal.getsignal(number)) for number in signal.valid_signals()], signal.getitimer(signal.ITIMER_REAL))
print(signal.pthread_sigmask(signal.SIG_BLOCK, []), threading.enumerate(), faulthandler.is_enabled(), gc.isenabled(), gc.get_freeze_count())
done = []
threads = [threading.Thread(target=done.append, args=(i,)) for i in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sorted(done))
threading.Thread(target=lambda: print("the last thread")).start()`,
  ],
  'an unhandled exception': [`import sample\ndef run():\n    sample.fail()\nrun()`],
  'an exception with a cause': [
    `import sample\ntry:\n    sample.fail()\nexcept KeyError as error:\n    raise ValueError("é") from error`,
  ],
  'a syntax error': [`import sample\nprint("before")\nx = = 1`],
  'an exit code': [`import sys, sample\nsys.exit(7)`],
  'an exit message': [`import sys, sample\nsys.exit("bye é")`],
  'functions at its exit': [
    `import atexit, os, sys, sample\natexit.register(print, "at exit")\nsys.stdout.write("no newline")\nraise SystemExit(3)`,
  ],
  'an immediate exit': [`import atexit, os, sample\natexit.register(print, "never")\nos._exit(9)`],
  'an abort': [`import os, sample\nprint("before", flush=True)\nos.abort()`],
  'a crash in native code': [
    `import faulthandler, ctypes, sample\nfaulthandler.enable()\nctypes.string_at(0)`,
  ],
  SIGTERM: [`import sample, time\nprint("runs")\ntime.sleep(100)`, { signal: 'SIGTERM' }],
  SIGINT: [
    `import sample, time
try:
    print("runs")
    time.sleep(100)
except KeyboardInterrupt:
    raise SystemExit("interrupted") from None`,
    { signal: 'SIGINT' },
  ],
  'a handler of SIGTERM': [
    `import signal, sample, sys, time\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(4))\nprint("runs")\ntime.sleep(100)`,
    { signal: 'SIGTERM' },
  ],
  frames: [
    `import inspect, sys, traceback, warnings, sample
print([frame.filename for frame in inspect.stack()])
traceback.print_stack()
warnings.warn("from the caller", stacklevel=2)
try: sys._getframe(1)
except ValueError as error: print(error)`,
  ],
  multiprocessing: [
    `import multiprocessing, os, sys, sample
def work(number): return number, __name__, sys.argv[1:], os.environ["WORD"], multiprocessing.parent_process().pid == os.getppid()
if __name__ == "__main__":
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool: print(pool.map(work, range(4)))
    with multiprocessing.get_context("forkserver").Pool(2) as pool: print([row[:4] for row in pool.map(work, range(4))])`,
    { args: ['x'], env: { WORD: 'w' }, hasChildren: true },
  ],
  'a process of its own': [
    `import os, subprocess, sys, sample
print(subprocess.run([sys.executable, "-c", "import os, signal, sys; print(sys.path, sorted(os.environ), signal.getsignal(signal.SIGPIPE), os.listdir('/proc/self/fd'))"], capture_output=True, text=True))
print(subprocess.run(["sh", "-c", "yes | head -n 1"], capture_output=True, text=True))`,
  ],
  pickling: [
    `import pickle, sample
class Point: pass
print(pickle.dumps(Point), pickle.loads(pickle.dumps(Point)) is Point, Point.__module__)`,
  ],
}

describe('a program with prepared imports does the same as with plain Python:', () => {
  it.each(Object.entries(programs))('%s', async (_, [source, program]) => {
    const [plain, prepared] = await Promise.all([runPlain(source, program), runPrepared(source, program)])
    expect(prepared).toEqual({ ...plain, imports: prepared.imports })
    // A second import would be that of a new Python.
    if (!program?.hasChildren) expect(prepared.imports).toBe(1)
    expect(plain.stdout + plain.stderr + plain.code + plain.signal).not.toBe('0null')
  })
})

const changing: Record<string, [source: string, program?: Program]> = {
  'imports none of them': [`import sys\nprint("sample" in sys.modules)`],
  'changes a variable before its import': [
    `import os\nos.environ["SAMPLE_LEVEL"] = "3"\nimport sample\nprint(sample.level)`,
  ],
  'does so in the same line': [
    `import os; os.environ["SAMPLE_LEVEL"] = "3"; import sample; print(sample.level)`,
  ],
  'replaces the module': [`import sys\nsys.modules["sample"] = 1\nfrom sample import level\nprint(level)`],
  'imports it in a function': [`def run():\n    import sample\n    print(sample.level)\nrun()`],
  'has a variable that the imports read': [
    `import sample\nprint(sample.level)`,
    { env: { SAMPLE_LEVEL: '5' } },
  ],
  'has a variable that native libraries read': [
    `import os, sample\nprint(os.environ["OMP_NUM_THREADS"])`,
    { env: { OMP_NUM_THREADS: '3' } },
  ],
  'has a variable of Python': [
    `import sample, sys\nprint(sys.flags.hash_randomization, hash("a"))`,
    { env: { PYTHONHASHSEED: '0' } },
  ],
  'does not parse': [`import sample\nprint("""`],
  'names an encoding that does not exist': ['# coding: nothing\nimport sample'],
}

describe('a program runs in a Python of its own if it', () => {
  it.each(Object.entries(changing))('%s', async (_, [source, program]) => {
    const [plain, prepared] = await Promise.all([runPlain(source, program), runPrepared(source, program)])
    expect(prepared).toEqual({ ...plain, imports: plain.imports + 1 })
  })
})

it('a job that comes during the imports does not wait for them', async () => {
  const container = await openContainer()
  await writeFile(
    join(root, 'modules', 'endless.py'),
    'import time\nopen("started", "w").close()\nwhile True: time.sleep(0.01)',
  )
  const child = await container.prepare(['sample', 'endless'])
  await vi.waitUntil(() => existsSync(join(container.directory, 'started')), { timeout: 60_000 })
  await container.giveJob('import os, sample\nprint(os.listdir("/proc/self/fd"))', {}, true)
  child.stdin?.end('\n')
  expect(await container.finish(child)).toMatchObject({
    code: 0,
    imports: 2,
    stdout: "['0', '1', '2', '3']\n",
  })
})

it('each process has random numbers of its own', async () => {
  const source = 'import random, sample\nprint(random.random(), hash("a"))'
  const printed = await Promise.all([1, 2].map(async () => (await runPrepared(source)).stdout))
  expect(new Set(printed).size).toBe(2)
})

describe('imports are refused that', () => {
  it.each([
    ['fail', 'broken', /^import broken failed: OSError: no such device$/],
    ['do not exist', 'missing', /^import missing failed: ModuleNotFoundError: No module named 'missing'$/],
    ['print', 'chatty', /^the imports print text, which a job would miss: Hello from a module$/],
    ['keep a copy of a stream', 'copying', /^the imports keep a copy of standard output or error$/],
  ])('%s', async (_, module, reason) => {
    const container = await openContainer()
    const ended = await container.finish(await container.prepare([module]))
    expect(ended).toMatchObject({ code: unusableExitCode, stdout: '' })
    expect(ended.stderr).toMatch(reason)
  })

  it('crash', async () => {
    const container = await openContainer()
    const { code, signal } = await container.finish(await container.prepare(['crashing']))
    expect(signal ?? (code ?? 0) - 128).toEqual(
      expect.toSatisfy((it) => it === 'SIGSEGV' || it === constants.signals.SIGSEGV),
    )
  })
})

it('a container that nobody needs ends with its input', async () => {
  const container = await openContainer()
  const child = await container.prepare(['sample'])
  await container.untilReady()
  child.stdin?.end()
  expect(await container.finish(child)).toMatchObject({ code: 1, stdout: '', stderr: '' })
})
