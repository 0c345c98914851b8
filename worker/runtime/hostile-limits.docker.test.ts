import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { until } from '../testing/until'
import { buildContainerSpec, taskUid } from './spec/container-spec'
import { runControl } from './testing/engine-probe'
import { TaskBench } from './testing/task-bench'
import { startTestEngine, type TestEngine, variants } from './testing/test-engines'

const policy = { outputLimitBytes: 1024 }
const attack = (name: string) =>
  readFileSync(join(import.meta.dirname, 'testing/attacks', `${name}.py`), 'utf8')

/** Processes of a task's uid, seen from the host. */
function processesOf(taskId: string): string[] {
  const uid = new RegExp(`^Uid:\\t${taskUid(taskId)}\\t`, 'm')
  return readdirSync('/proc').filter((entry) => {
    if (!/^\d+$/.test(entry)) return false
    try {
      return uid.test(readFileSync(`/proc/${entry}/status`, 'utf8'))
    } catch {
      return false
    }
  })
}

describe.each(variants)('$product, warm: $warm', ({ product, warm }) => {
  let engine: TestEngine
  let bench: TaskBench

  beforeAll(async () => {
    engine = await startTestEngine(product)
    bench = new TaskBench({ ...engine.options, warm })
  })
  afterAll(async () => {
    await bench?.cleanUp()
    await engine?.close()
  })

  describe('processes', () => {
    it('are limited in number, and a fork bomb ends with its container without affecting others', async () => {
      const counted = await bench.run(`
import os, signal
children = []
try:
    while True:
        child = os.fork()
        if child == 0:
            signal.pause()
        children.append(child)
except BlockingIOError:
    print(len(children))`)
      expect(Number(counted.stdout)).toBeGreaterThan(1000)
      expect(Number(counted.stdout)).toBeLessThan(1200)

      const task = await bench.task(
        'import os\nprint("lit")\nwhile True:\n    try:\n        os.fork()\n    except OSError: pass',
      )
      const bomb = await bench.startTask(task, 'lit')
      await until('it has spread', () => processesOf(task.taskId).length > 100)
      expect((await bench.run('print(6 * 7)')).stdout).toBe('42\n')
      await bench.runtime.stop(bomb, 0)
      expect(processesOf(task.taskId)).toEqual([])
    })

    it('processes that ignore SIGTERM or run as daemons are ended by a stop', async () => {
      const task = await bench.task(`
import os, signal, time
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() > 0:
        os._exit(0)
    for descriptor in (0, 1, 2):
        os.close(descriptor)
    time.sleep(60)
time.sleep(0.5)
print("dug in")
time.sleep(60)`)
      const container = await bench.startTask(task, 'dug in')
      expect(processesOf(task.taskId).length).toBeGreaterThan(1)
      await bench.runtime.stop(container, 300)
      expect(await bench.runtime.wait(container)).toMatchObject({ exitCode: 137, outOfMemory: false })
      expect(processesOf(task.taskId)).toEqual([])
    })

    it('end with the program, also a daemon that holds its output open', async () => {
      const task = await bench.task(`
import os, time
if os.fork() == 0:
    os.setsid()
    time.sleep(60)
print("done")`)
      const container = await bench.startTask(task, 'done')
      expect(await bench.runtime.wait(container)).toMatchObject({ exitCode: 0 })
      expect(processesOf(task.taskId)).toEqual([])
    })

    it('processes that use every core are limited to their CPU share', async () => {
      const { stdout } = await bench.run(
        `
import glob, os, re, time
for _ in range(3):
    if os.fork() == 0:
        while True: pass
files = glob.glob("/sys/fs/cgroup/cpu/cpu.stat") + glob.glob("/sys/fs/cgroup/cpu.stat")
throttled = lambda: int(re.search(r"nr_throttled (\\d+)", open(files[0]).read())[1])
end = time.monotonic() + 60
# Where others want the cores as well, it may take a while to get more of them than its share.
while throttled() < 3 and time.monotonic() < end: pass
print(throttled())`,
        { cpuMilli: 500 },
      )
      expect(Number(stdout)).toBeGreaterThan(2)
    })
  })

  describe('a job that uses every core', () => {
    it('does not prevent other jobs from running', async () => {
      const source = `
import os
for _ in range(os.cpu_count() * 4 - 1):
    if os.fork() == 0: break
print("spinning", flush=True)
while True: pass`
      const task = await bench.task(source, { cpuMilli: 1000 })
      const spinning = await bench.startTask(task, 'spinning')
      expect((await bench.run('print(6 * 7)')).stdout).toBe('42\n')
      await bench.runtime.stop(spinning, 0)
      expect(processesOf(task.taskId)).toEqual([])
    })
  })

  describe('memory', () => {
    const bomb = 'b = []\nwhile True: b.append(bytearray(8 << 20))'

    it('ends a program that exceeds its limit, with the reason', async () => {
      const { exit } = await bench.run(bomb, { memoryMib: 96 })
      expect(exit).toMatchObject({ exitCode: 137, outOfMemory: true })
    })

    it('reports a child that was killed for its memory if the program exits with 0', async () => {
      // The engine is told of the child and of the end by two notices, which may overtake each other on a busy machine.
      const source = `
import subprocess, sys, time
print(subprocess.run([sys.executable, "-c", ${JSON.stringify(bomb)}]).returncode)
time.sleep(1)`
      const { exit, stdout } = await bench.run(source, { memoryMib: 96 })
      expect(stdout).toBe('-9\n')
      expect(exit).toMatchObject({ exitCode: 0, outOfMemory: true })
    })

    it('includes the files in the writable paths', async () => {
      const source = `
block = b"x" * (1 << 20)
for folder in ("/work", "/tmp", "/dev/shm"):
    with open(folder + "/big", "wb") as file:
        try:
            while True: file.write(block)
        except OSError: pass`
      const { exit } = await bench.run(source, { memoryMib: 128 })
      expect(exit.outOfMemory).toBe(true)
    })
  })

  describe('writable paths', () => {
    it('are limited in size and in number of files', async () => {
      const { stdout } = await bench.run(attack('fill'), { memoryMib: 1024 })
      const ends = z
        .record(z.string(), z.union([z.number(), z.tuple([z.string(), z.number()])]))
        .parse(JSON.parse(stdout))
      const files = (limit: number) => [
        'ENOSPC',
        expect.toSatisfy((made: number) => made > limit - 10 && made < limit),
      ]
      expect(ends).toEqual({
        '/work by size': ['ENOSPC', 512],
        '/tmp by size': ['ENOSPC', 256],
        '/dev/shm by size': ['ENOSPC', 512],
        '/work by a sparse file': 0,
        '/tmp by a sparse file': 0,
        '/dev/shm by a sparse file': 0,
        '/work by files': files(131_072),
        '/tmp by files': files(32_768),
        '/dev/shm by files': files(32_768),
      })
    })

    it('never contain a core dump', async () => {
      const { stdout } = await bench.run(`
import ctypes, os
child = os.fork()
if child == 0:
    ctypes.string_at(0)
status = os.waitpid(child, 0)[1]
print(os.WTERMSIG(status), os.WCOREDUMP(status), os.listdir("/work"))`)
      expect(stdout).toBe('11 False []\n')
    })
  })

  describe('the end of a program', () => {
    it('is reported unchanged, for every kind of exit code', async () => {
      const codes = [0, 1, 2, 77, 126, 127, 128, 200, 255]
      const exits = await Promise.all(codes.map((code) => bench.run(`import os\nos._exit(${code})`)))
      expect(exits.map(({ exit }) => exit.exitCode)).toEqual(codes)
      expect(exits.filter(({ exit }) => exit.outOfMemory)).toEqual([])
    })

    it('is 128 plus the signal if it killed itself, and is not reported as out of memory', async () => {
      const signals = [1, 2, 6, 9, 11, 15, 31, 64]
      const source = (signal: number) =>
        `import os, signal\nsignal.signal(${signal}, signal.SIG_DFL) if ${signal} not in (9,) else 0\nos.kill(os.getpid(), ${signal})\nsignal.pause()`
      const exits = await Promise.all(signals.map((signal) => bench.run(source(signal))))
      expect(exits.map(({ exit }) => exit.exitCode)).toEqual(signals.map((signal) => 128 + signal))
      expect(exits.filter(({ exit }) => exit.outOfMemory)).toEqual([])
    })
  })

  // The Podman of the tests has an image with nothing but Python.
  if (product === 'Docker')
    describe('normal work under all limits', () => {
      const worked = {
        matmul: 125_000,
        pool: [1000, 8000, 27_000],
        loader: 2016,
        executable: [true, true],
        threads: 2,
      }
      const size = { memoryMib: 3072, cpuMilli: 2000 }

      it('runs: torch with process pools, data loaders and its own kernels', async () => {
        const { stdout, stderr, exit } = await bench.run(attack('torch-work'), size)
        expect(stderr).toBe('')
        expect(exit.exitCode).toBe(0)
        expect(JSON.parse(stdout)).toEqual({ ...worked, gloo: [] })
      })

      it('has ranks that find each other if a task has real GPUs', async () => {
        const task = await bench.task(attack('torch-work'), size)
        const command = [...task.command, 'gloo']
        const granted = buildContainerSpec({ ...task, simulated: false, gpuUuids: ['GPU-1'] }, policy, {
          volumes: [],
        })
        const { SecurityOpt } = granted.HostConfig
        // The profile of such a task, without asking this host for a GPU.
        const control = await runControl({ ...task, command }, (spec) => ({
          ...spec,
          HostConfig: { ...spec.HostConfig, SecurityOpt },
        }))
        expect(JSON.parse(control)).toEqual({ ...worked, gloo: [3, 3] })
      })
    })
})
