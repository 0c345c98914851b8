import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../testing/until'
import { containerName, labels } from '../spec/container-spec'
import { askEngine } from '../testing/engine-probe'
import { expectComplete, expectLastLine } from '../testing/repeated-output'
import { collect, testImage } from '../testing/runtime-bench'
import { TaskBench } from '../testing/task-bench'
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
    it('is complete for containers that print and end at once, twelve times', () => expectComplete(bench, 12))

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
  })

  describe('a task', () => {
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
    it('is not reported as a failure of the job: a container killed or stopped by another client', async () => {
      const sleeping = 'print("up")\ntime.sleep(60)'
      const saving = 'signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))\n'
      const stops: [string, string, string][] = [
        ['POST', '/stop?t=5', sleeping],
        ['POST', '/stop?t=5', saving + sleeping],
      ]
      const acts: [string, string, string][] = [
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
    it('images that exist are not pulled', async () => {
      const progress: string[] = []
      expect(await runtime.ensureImage(testImage, (line) => progress.push(line))).toMatch(
        /sha256:[0-9a-f]{64}$/,
      )
      expect(progress).toEqual([])
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
