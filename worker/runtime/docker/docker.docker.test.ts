import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../testing/until'
import { containerName, labels } from '../spec/container-spec'
import { askEngine } from '../testing/engine-probe'
import { expectComplete, expectLastLine, lines } from '../testing/repeated-output'
import { collect, TaskBench, testImage } from '../testing/task-bench'
import { products, startTestEngine, type TestEngine } from '../testing/test-engines'

describe.each(products)('%s', (product) => {
  let engine: TestEngine
  let bench: TaskBench
  let runtime: TaskBench['runtime']
  const ask = (method: string, path: string, body?: unknown) =>
    askEngine(method, path, body, engine.socketPath)

  beforeAll(async () => {
    engine = await startTestEngine(product)
    bench = new TaskBench(engine.options)
    runtime = bench.runtime
  })
  afterAll(async () => {
    await bench?.cleanUp()
    await engine?.close()
  })

  if (product === 'Docker')
    it('lets a task write to its directories, whoever owns those of the image', async () => {
      const repository = `gpuq-own-${randomUUID().slice(0, 8)}`
      const closed = {
        Image: testImage,
        User: 'root',
        Cmd: ['sh', '-c', 'mkdir -p /work && chmod 755 /work /tmp'],
      }
      const created = JSON.parse(`${(await ask('POST', '/containers/create', closed)).bytes}`) as {
        Id: string
      }
      try {
        await ask('POST', `/containers/${created.Id}/start`)
        await ask('POST', `/containers/${created.Id}/wait`)
        await ask('POST', `/commit?container=${created.Id}&repo=${repository}`)
        const writing = 'for path in ("/tmp", "/work", "/dev/shm"): print(open(path + "/x", "w").name)'
        const { stdout } = await bench.run(writing, { image: `${repository}:latest` })
        expect(stdout).toBe('/tmp/x\n/work/x\n/dev/shm/x\n')
      } finally {
        await ask('DELETE', `/containers/${created.Id}?force=true`)
        await ask('DELETE', `/images/${repository}?force=true`)
      }
    })

  describe('output', () => {
    it('is complete for containers that print and end at once, forty times', () => expectComplete(bench, 40))

    const awkward = `
import os
os.write(1, b"nul \\x00 invalid \\xff\\xfe cut \\xe2\\x82\\n")
os.write(1, b"x" * 40000 + b"\\n\\n\\r\\n")
os.write(1, b"y" * 16384 + b"\\n")
os.write(1, b"z" * 32768 + b"\\nafter\\n")
os.write(2, b"no newline at the end")
os.write(1, b"nor here")`
    const awkwardOut = Buffer.concat([
      Buffer.from('nul \0 invalid '),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(' cut '),
      Buffer.from([0xe2, 0x82]),
      Buffer.from(
        `\n${'x'.repeat(40_000)}\n\n\r\n${'y'.repeat(16_384)}\n${'z'.repeat(32_768)}\nafter\nnor here`,
      ),
    ])

    it('keeps every byte, live and replayed, whatever the bytes are', async () => {
      const container = await runtime.create(await bench.task(awkward))
      const live = await collect(await runtime.start(container))
      const replayed = await collect(await runtime.replay(container))
      expect(live.stdout.equals(awkwardOut)).toBe(true)
      expect(replayed.stdout.equals(awkwardOut)).toBe(true)
      expect(live.stderr.toString()).toBe('no newline at the end')
      expect(replayed.stderr.toString()).toBe('no newline at the end')
    })

    it('keeps a last line without a newline when the log is followed, eight times', () =>
      expectLastLine(bench, 8))

    it('blocks the container while no client reads, and loses nothing', async () => {
      const MiB = 1024 * 1024
      const container = await runtime.create(
        await bench.task(`import os\nfor _ in range(64): os.write(1, b"x" * ${MiB})`),
      )
      const output = await runtime.start(container)
      // Another that is read writes as much from its beginning to its end meanwhile.
      const other = await bench.run(`import os\nfor _ in range(64): os.write(1, b"x" * ${MiB})`)
      expect(other.stdout.length).toBe(64 * MiB)
      expect((await runtime.list(bench.nodeId)).find(({ id }) => id === container.id)?.state).toBe('running')
      expect((await collect(output)).stdout.length).toBe(64 * MiB)
    })

    it('stays complete if the reader pauses while the container ends', async () => {
      // Enough to fill the engine's own buffer, and little enough to be in its pipes at the end.
      const written = 1_400_000
      const source = `import os\nfor _ in range(${written / 1000}): os.write(1, b"x" * 999 + b"\\n")`
      const container = await runtime.create(await bench.task(source))
      const output = (await runtime.start(container))[Symbol.asyncIterator]()
      const first = await output.next()
      await until('it has ended', async () => {
        const containers = await runtime.list(bench.nodeId)
        return containers.find(({ id }) => id === container.id)?.state === 'exited'
      })
      const rest = await collect({ [Symbol.asyncIterator]: () => output })
      expect((first.done ? 0 : first.value.bytes.length) + rest.stdout.length).toBe(written)
    })

    it('can be read from the first byte by another process, before and after the end', async () => {
      const source = 'import time\nfor n in range(50): print("out", n)\ntime.sleep(1)\nprint("end")'
      const container = await bench.startUntil(source, 'out 49')
      const other = new TaskBench(engine.options).runtime
      const early = await other.replay(container)
      expect((await collect(early)).stdout.toString()).toBe(`${lines(50, 'out')}end\n`)
      expect((await collect(await other.replay(container))).stdout.toString()).toBe(
        `${lines(50, 'out')}end\n`,
      )
      expect(await other.wait(container)).toMatchObject({ exitCode: 0 })
    })
  })

  describe('a pause', () => {
    const source = `import signal, sys, time
def stop(*_):
    print("told to stop", flush=True)
    sys.exit(3)
signal.signal(signal.SIGTERM, stop)
# In one piece: the signal must not come between the line and its end.
sys.stdout.write("started\\n")
while True: time.sleep(0.05)`
    const statusOf = async (id: string): Promise<unknown> =>
      JSON.parse((await ask('GET', `/containers/${id}/json`)).bytes.toString()).State.Status

    it('freezes a container until it is resumed, however often it is asked', async () => {
      const container = await bench.startUntil(source, 'started')
      for (const status of ['paused', 'running'] as const) {
        const change = () => (status === 'paused' ? runtime.pause(container) : runtime.resume(container))
        await change()
        await change()
        expect(await statusOf(container.id)).toBe(status)
        expect((await runtime.list(bench.nodeId)).find(({ id }) => id === container.id)?.state).toBe(
          'running',
        )
      }
      await runtime.stop(container, 60_000)
      expect((await runtime.wait(container)).exitCode).toBe(3)
      await runtime.pause(container)
      await runtime.resume(container)
    })

    it('ends with a stop, which reaches the program, and does not hide earlier output', async () => {
      const container = await bench.startUntil(source, 'started')
      await runtime.pause(container)
      const other = new TaskBench(engine.options).runtime
      const output = await other.replay(container)
      expect(await statusOf(container.id)).toBe('paused')
      await other.stop(container, 60_000)
      expect((await collect(output)).stdout.toString()).toBe('started\ntold to stop\n')
      expect((await other.wait(container)).exitCode).toBe(3)
    })

    it('does not keep a container from being killed and removed', async () => {
      const stubborn = `import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("started", flush=True)
while True: time.sleep(0.05)`
      const container = await bench.startUntil(stubborn, 'started')
      await runtime.pause(container)
      await runtime.stop(container, 0)
      await runtime.remove(container)
      const second = await bench.startUntil(stubborn, 'started')
      await runtime.pause(second)
      await runtime.remove(second)
      expect(
        (await runtime.list(bench.nodeId)).filter(({ id }) => id === container.id || id === second.id),
      ).toEqual([])
    })
  })

  describe('a task', () => {
    it('has one container, however often it is created', async () => {
      const task = await bench.task('print(1)')
      const [first, second] = await Promise.all([runtime.create(task), runtime.create(task)])
      expect(second).toEqual(first)
      await collect(await runtime.start(first))
      await runtime.wait(first)
      expect(await runtime.create(task)).toEqual({ ...first, state: 'exited' })
    })

    it('does not take over a container that only has its name', async () => {
      const task = await bench.task('print(1)')
      const other = await runtime.create({ ...task, nodeId: `${task.nodeId}-other` })
      await expect(runtime.create(task)).rejects.toMatchObject({ code: 'engine_error' })
      await runtime.remove(other)
    })

    it('is listed only for its node; containers with similar labels are not', async () => {
      const task = await bench.task('print(1)')
      const container = await runtime.create(task)
      const foreign = { Image: testImage, Labels: { [labels.node]: bench.nodeId } }
      const name = `gpuq-foreign-${randomUUID()}`
      await ask('POST', `/containers/create?name=${name}`, foreign)
      try {
        expect(await runtime.list(bench.nodeId)).toContainEqual(container)
        expect(await runtime.list('another-node')).toEqual([])
        expect((await runtime.list(bench.nodeId)).every(({ jobId }) => jobId !== '')).toBe(true)
      } finally {
        await ask('DELETE', `/containers/${name}`)
      }
    })

    it('reports its times and exit on every request', async () => {
      const container = await runtime.create(await bench.task('raise SystemExit(3)'))
      await expect(runtime.wait(container)).rejects.toMatchObject({ code: 'engine_error' })
      await collect(await runtime.start(container))
      const exit = await runtime.wait(container)
      expect(exit).toEqual(await runtime.wait(container))
      expect(exit).toMatchObject({ exitCode: 3, outOfMemory: false })
      expect(await runtime.usage(container)).toBeNull()
      expect(exit.finishedAt?.getTime()).toBeGreaterThanOrEqual(exit.startedAt?.getTime() ?? Number.NaN)
    })

    it('accepts a repeated stop and remove', async () => {
      const container = await runtime.create(await bench.task('print(1)'))
      await runtime.stop(container, 100)
      await collect(await runtime.start(container))
      await runtime.wait(container)
      await runtime.stop(container, 100)
      await Promise.all([runtime.remove(container), runtime.remove(container)])
      await runtime.remove(container)
      await runtime.stop(container, 100)
      expect(await runtime.usage(container)).toBeNull()
      await expect(runtime.wait(container)).rejects.toMatchObject({ code: 'container_gone' })
      await expect(runtime.start(container)).rejects.toMatchObject({ code: 'container_gone' })
      await expect(runtime.replay(container)).rejects.toMatchObject({ code: 'container_gone' })
    })

    it('can exit with 0 within its grace period', async () => {
      const source = `
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: (print("saved"), sys.exit(5)))
print("ready")
time.sleep(60)`
      const container = await bench.startUntil(source, 'ready\n')
      await runtime.stop(container, 10_000)
      expect(await runtime.wait(container)).toMatchObject({ exitCode: 5 })
      expect((await collect(await runtime.replay(container))).stdout.toString()).toBe('ready\nsaved\n')
    })

    it('reports the error of the engine if its container cannot be created', async () => {
      const task = await bench.task('print(1)')
      await expect(runtime.create({ ...task, directory: '/no/such/directory' })).rejects.toMatchObject({
        code: 'engine_error',
        message: expect.stringContaining('/no/such/directory'),
      })
    })

    it('fails with the reason if its program is not in the image', async () => {
      const { exit, stderr } = await bench.run('', { command: ['no-such-program'] })
      // The init of Podman ends with 1, and does not name the program.
      expect(exit.exitCode).toBe(product === 'Docker' ? 127 : 1)
      expect(stderr).toContain(product === 'Docker' ? 'no-such-program' : 'No such file')
    })
  })

  describe('manual interference', () => {
    it('is not reported as a failure of the job: a container removed, killed or stopped by another client', async () => {
      const sleeping = 'print("up")\ntime.sleep(60)'
      const saving = 'signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))\n'
      const stops: [string, string, string][] = [
        ['POST', '/stop?t=5', sleeping],
        ['POST', '/stop?t=5', saving + sleeping],
      ]
      const acts: [string, string, string][] = [
        ['DELETE', '?force=1', sleeping],
        ['POST', '/kill', sleeping],
        // The program ends with 0.
        ['POST', '/kill?signal=SIGTERM', saving + sleeping],
        // Podman has no event of it, so it looks as if the program had ended itself.
        ...(product === 'Docker' ? stops : []),
      ]
      for (const [method, path, program] of acts) {
        const source = `import signal, sys, time\n${program}`
        const container = await runtime.create(await bench.task(source))
        let printed = ''
        const output = await runtime.start(container)
        const read = (async () => {
          for await (const { bytes } of output) printed += bytes.toString()
        })()
        const refused = expect(runtime.wait(container)).rejects.toMatchObject({ code: 'container_gone' })
        await until('it is up', () => printed === 'up\n', { details: () => printed })
        await ask(method, `/containers/${container.id}${path}`)
        await refused
        await read
        expect(printed).toBe('up\n')
      }
    })
  })

  describe('images', () => {
    it('that exist are not pulled; for others the error says why they cannot be pulled', async () => {
      const progress: string[] = []
      expect(await runtime.ensureImage(testImage, (line) => progress.push(line))).toMatch(
        /sha256:[0-9a-f]{64}$/,
      )
      expect(progress).toEqual([])
      const missing = `127.0.0.1:9/gpuq/missing:${randomUUID()}`
      await expect(runtime.ensureImage(missing)).rejects.toMatchObject({
        code: 'image_unavailable',
        message: expect.stringContaining(missing),
      })
      const task = await bench.task('print(1)', { image: missing })
      await expect(runtime.create(task)).rejects.toMatchObject({ code: 'image_unavailable' })
    })

    it('cannot set volumes, health checks, an entrypoint or a user', async () => {
      const base = await runtime.create(await bench.task('print(1)'))
      const image = `gpuq-test/volumes:${randomUUID()}`
      const [repo = '', tag = ''] = image.split(':')
      const changes = [
        'VOLUME /data',
        // Podman's images have none.
        ...(product === 'Docker' ? ['HEALTHCHECK CMD touch /data/checked'] : []),
        'ENTRYPOINT ["false"]',
        'USER root',
      ]
      const query = new URLSearchParams({ container: base.id, repo, tag, changes: changes.join('\n') })
      await ask('POST', `/commit?${query}`, {})
      try {
        const source = `
import errno, os
print(os.getuid() > 0, [line.split()[2] for line in open("/proc/mounts") if line.split()[1] == "/data"])
try:
    open("/data/big", "wb").write(b"x" * (300 << 20))
except OSError as error:
    print(errno.errorcode[error.errno])`
        const { stdout } = await bench.run(source, { image, memoryMib: 1024 })
        expect(stdout).toBe("True ['tmpfs']\nENOSPC\n")
      } finally {
        await ask('DELETE', `/images/${image}`)
      }
    })
  })

  describe('the engine', () => {
    it('reports its id and size, and what is too old or missing', async () => {
      const info = await runtime.facts.info()
      expect(info.id).not.toBe('')
      expect(info.cpuMilli).toBeGreaterThanOrEqual(1000)
      expect(info.memoryMib).toBeGreaterThan(500)
      expect(info.warnings.filter((warning) => /no seccomp|cannot limit memory/.test(warning))).toEqual([])
    })

    it('names containers by job, attempt and rank', async () => {
      const task = await bench.task('print(1)', { attempt: 2, rank: 1 })
      const container = await runtime.create(task)
      const { bytes } = await ask('GET', `/containers/${containerName(task)}/json`)
      expect(JSON.parse(bytes.toString())).toMatchObject({
        Id: container.id,
        Name: `/gpuq-${task.jobId}-2-1-${task.taskId}`,
      })
    })
  })
})
