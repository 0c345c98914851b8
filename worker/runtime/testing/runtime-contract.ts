import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../testing/until'
import type { ContainerRuntime } from '../container-runtime'
import type { ContainerRef } from '../runtime'
import { contractPrograms, muchMib } from './contract-programs'
import { collect, type RuntimeBench } from './runtime-bench'

/** A runtime of which the contract is tested. */
export interface ContractSubject {
  bench: RuntimeBench
  /** The runtime of another process on the same engine. */
  connect(): ContainerRuntime
  /** The state of a container as an admin sees it. */
  stateOf(container: ContainerRef): Promise<string>
  /** Removes a container by hand, by force. */
  removeByHand(container: ContainerRef): Promise<void>
  close(): Promise<void>
}

const { printing, polite, stubborn, plain, verbose, greedy } = contractPrograms

/** Tests what the code of a node relies on, so that the fake runtime behaves as the real ones do. */
export function describeContract(name: string, open: () => Promise<ContractSubject>): void {
  describe(`the contract of a runtime on ${name}`, () => {
    let subject: ContractSubject
    let bench: RuntimeBench
    let runtime: ContainerRuntime

    beforeAll(async () => {
      subject = await open()
      bench = subject.bench
      runtime = bench.runtime
    })
    afterAll(async () => {
      await bench?.cleanUp()
      await subject?.close()
    })

    const listed = async ({ id }: ContainerRef) =>
      (await runtime.list(bench.nodeId)).find((container) => container.id === id)

    it('a program that ends by itself: both streams are complete, and its exit is reported on every request', async () => {
      const container = await runtime.create(await bench.task(printing.python))
      expect(container.state).toBe('created')
      await expect(runtime.wait(container)).rejects.toMatchObject({ code: 'engine_error' })
      const { stdout, stderr } = await collect(await runtime.start(container))
      expect(stdout.toString()).toBe('out\nno newline')
      expect(stderr.toString()).toBe('err\n')
      const exit = await runtime.wait(container)
      expect(exit).toEqual(await runtime.wait(container))
      expect(exit).toMatchObject({ exitCode: 3, outOfMemory: false })
      expect(exit.finishedAt?.getTime()).toBeGreaterThanOrEqual(exit.startedAt?.getTime() ?? Number.NaN)
      expect(await listed(container)).toEqual({ ...container, state: 'exited' })
      expect(await runtime.usage(container)).toBeNull()
    })

    it('a program that handles SIGTERM: it ends with its own exit code after a stop', async () => {
      const container = await bench.startUntil(polite.python, 'started\n')
      await runtime.stop(container, 60_000)
      expect(await runtime.wait(container)).toMatchObject({ exitCode: 5 })
      expect((await collect(await runtime.replay(container))).stdout.toString()).toBe('started\nsaved\n')
    })

    it('a program without a handler of SIGTERM: the signal ends it', async () => {
      const container = await bench.startUntil(plain.python, 'started\n')
      await runtime.stop(container, 60_000)
      expect(await runtime.wait(container)).toMatchObject({ exitCode: 143, outOfMemory: false })
    })

    it('a program that ignores SIGTERM: it is killed after the grace period', async () => {
      const container = await bench.startUntil(stubborn.python, 'started\n')
      await runtime.stop(container, 300)
      expect(await runtime.wait(container)).toMatchObject({ exitCode: 137, outOfMemory: false })
    })

    it('a program that takes too much memory: its exit says so', async () => {
      const { exit } = await bench.run(greedy.python, { memoryMib: 96 })
      expect(exit).toMatchObject({ exitCode: 137, outOfMemory: true })
    })

    it('a program whose output nobody reads: it waits, and nothing is lost', async () => {
      const container = await runtime.create(await bench.task(verbose.python))
      const output = await runtime.start(container)
      // Another that is read writes as much from its beginning to its end meanwhile.
      const other = await bench.run(verbose.python)
      expect(other.stdout.length).toBe(muchMib * 1024 * 1024)
      expect((await listed(container))?.state).toBe('running')
      expect((await collect(output)).stdout.length).toBe(muchMib * 1024 * 1024)
    })

    it('a container of another process: its output is read from the first byte on, before and after its end', async () => {
      const container = await bench.startUntil(polite.python, 'started\n')
      const other = subject.connect()
      expect(await other.list(bench.nodeId)).toContainEqual({ ...container, state: 'running' })
      const early = await other.replay(container)
      await other.stop(container, 60_000)
      expect((await collect(early)).stdout.toString()).toBe('started\nsaved\n')
      expect((await collect(await other.replay(container))).stdout.toString()).toBe('started\nsaved\n')
      expect(await other.wait(container)).toMatchObject({ exitCode: 5 })
    })

    it('a container that another process may have started: it is started once, and read from the first byte on', async () => {
      const task = await bench.task(polite.python)
      const container = await bench.startTask(task, 'started\n')
      const other = subject.connect()
      const output = await other.startAgain(container)
      await other.stop(container, 60_000)
      expect((await collect(output)).stdout.toString()).toBe('started\nsaved\n')
    })

    it('a task that is created twice: it has one container', async () => {
      const task = await bench.task(printing.python)
      const [first, second] = await Promise.all([runtime.create(task), runtime.create(task)])
      expect(second).toEqual(first)
      await collect(await runtime.start(first))
      await runtime.wait(first)
      expect(await runtime.create(task)).toEqual({ ...first, state: 'exited' })
    })

    it('a container that only has the name of a task: the task does not take it over', async () => {
      const task = await bench.task(printing.python)
      const other = await runtime.create({ ...task, nodeId: `${task.nodeId}-other` })
      await expect(runtime.create(task)).rejects.toMatchObject({ code: 'engine_error' })
      expect(await runtime.list(bench.nodeId)).not.toContainEqual(other)
      await runtime.remove(other)
    })

    it('a pause: it freezes the container until it is resumed, however often it is requested', async () => {
      const container = await bench.startUntil(polite.python, 'started\n')
      for (const state of ['paused', 'running'] as const) {
        const change = () => (state === 'paused' ? runtime.pause(container) : runtime.resume(container))
        await change()
        await change()
        expect(await subject.stateOf(container)).toBe(state)
        expect((await listed(container))?.state).toBe('running')
      }
      await runtime.stop(container, 60_000)
      expect((await runtime.wait(container)).exitCode).toBe(5)
      await runtime.pause(container)
      await runtime.resume(container)
    })

    it('a stop of a paused container: it reaches the program, also from another process, and earlier output stays', async () => {
      const container = await bench.startUntil(polite.python, 'started\n')
      await runtime.pause(container)
      const other = subject.connect()
      const output = await other.replay(container)
      expect(await subject.stateOf(container)).toBe('paused')
      await other.stop(container, 60_000)
      expect((await collect(output)).stdout.toString()).toBe('started\nsaved\n')
      expect((await other.wait(container)).exitCode).toBe(5)
    })

    it('a paused container that ignores SIGTERM: it can be killed, and it can be removed', async () => {
      const killed = await bench.startUntil(stubborn.python, 'started\n')
      await runtime.pause(killed)
      await runtime.stop(killed, 0)
      await runtime.remove(killed)
      const removed = await bench.startUntil(stubborn.python, 'started\n')
      await runtime.pause(removed)
      await runtime.remove(removed)
      expect([await listed(killed), await listed(removed)]).toEqual([undefined, undefined])
    })

    it('a stop and a removal that are repeated: they succeed, and the container is gone', async () => {
      const container = await runtime.create(await bench.task(printing.python))
      await runtime.stop(container, 100)
      await collect(await runtime.start(container))
      await runtime.wait(container)
      await runtime.stop(container, 100)
      await Promise.all([runtime.remove(container), runtime.remove(container)])
      await runtime.remove(container)
      await runtime.stop(container, 100)
      expect(await runtime.usage(container)).toBeNull()
      const gone = { code: 'container_gone' }
      await expect(runtime.wait(container)).rejects.toMatchObject(gone)
      await expect(runtime.start(container)).rejects.toMatchObject(gone)
      await expect(runtime.replay(container)).rejects.toMatchObject(gone)
    })

    it('a container that is removed by hand under its reader: the output ends, and its end is not blamed on the program', async () => {
      const container = await runtime.create(await bench.task(plain.python))
      let printed = ''
      const output = await runtime.start(container)
      const read = (async () => {
        for await (const { bytes } of output) printed += bytes.toString()
      })()
      const refused = expect(runtime.wait(container)).rejects.toMatchObject({ code: 'container_gone' })
      await until('it has started', () => printed === 'started\n', { details: () => printed })
      await subject.removeByHand(container)
      await refused
      await read
      expect(printed).toBe('started\n')
    })

    it('an image that does not exist: the error says that it cannot be pulled', async () => {
      const missing = '127.0.0.1:9/gpuq/missing:1'
      await expect(runtime.ensureImage(missing)).rejects.toMatchObject({
        code: 'image_unavailable',
        message: expect.stringContaining(missing),
      })
      const task = await bench.task(printing.python, { image: missing })
      await expect(runtime.create(task)).rejects.toMatchObject({ code: 'image_unavailable' })
    })
  })
}
