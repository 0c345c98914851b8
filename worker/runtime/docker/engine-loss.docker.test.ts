import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { until } from '../../testing/until'
import type { ContainerRef } from '../runtime'
import { askEngine } from '../testing/engine-probe'
import { EngineProxy } from '../testing/engine-proxy'
import { collect } from '../testing/runtime-bench'
import { TaskBench } from '../testing/task-bench'
import { products, startTestEngine, type TestEngine } from '../testing/test-engines'

/** Prints `first`, waits for {@link letContinue}, and does the rest. */
const waiting = (first: string, rest: string) => `
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
${first}
signal.sigwait([signal.SIGUSR1])
${rest}`

const counting = (from: number) => `for n in range(${from}, ${from + 10}): print("line", n)`
const allLines = Array.from({ length: 20 }, (_, number) => `line ${number}\n`).join('')
const unreachable = { code: 'engine_unreachable' }

describe.each(products)('%s', (product) => {
  let engine: TestEngine
  let direct: TaskBench
  let proxy: EngineProxy
  let bench: TaskBench

  const ask = (method: string, path: string) => askEngine(method, path, undefined, engine.socketPath)

  /**
   * Lets a program of {@link waiting} go on, whether the proxy listens or not. Podman does not tell which signals it was
   * asked for, so there the signal does not come through the engine.
   */
  async function letContinue({ id }: ContainerRef): Promise<void> {
    if (product === 'Docker') {
      expect((await ask('POST', `/containers/${id}/kill?signal=USR1`)).status).toBe(204)
      return
    }
    const { bytes } = await ask('GET', `/containers/${id}/json`)
    const inspected = z.object({ State: z.object({ Pid: z.number().min(2) }) }).parse(JSON.parse(`${bytes}`))
    process.kill(inspected.State.Pid, 'SIGUSR1')
  }

  beforeAll(async () => {
    engine = await startTestEngine(product)
    direct = new TaskBench(engine.options)
  })
  beforeEach(async () => {
    proxy = new EngineProxy(engine.socketPath)
    await proxy.listen()
    const timeouts = { answer: 5000, kill: 1000 }
    const { socketPath } = proxy
    bench = new TaskBench({ ...engine.options, socketPath, timeouts, nodeId: direct.nodeId })
  })
  afterEach(async () => {
    await proxy.close()
    await bench.removeDirectories()
  })
  afterAll(async () => {
    // The benches share one node: its containers are removed without the proxy between.
    await direct?.cleanUp()
    await engine?.close()
  })

  describe('an engine that stops', () => {
    it('is distinguished from the end of a container, which continues and can be read again from the start', async () => {
      const { runtime } = bench
      const container = await runtime.create(await bench.task(waiting(counting(0), counting(10))))
      const output = await runtime.start(container)
      let printed = ''
      const read = (async () => {
        for await (const { bytes } of output) printed += bytes.toString()
      })()
      const waited = runtime.wait(container)
      const both = Promise.allSettled([read, waited])
      await until('it is half done', () => printed.includes('line 9\n'), { details: () => printed })
      await proxy.cut()
      expect(await both).toMatchObject([
        { status: 'rejected', reason: unreachable },
        { status: 'rejected', reason: unreachable },
      ])
      await expect(runtime.replay(container)).rejects.toMatchObject(unreachable)
      await expect(runtime.list(bench.nodeId)).rejects.toMatchObject(unreachable)
      await expect(runtime.stop(container, 0)).rejects.toMatchObject(unreachable)

      await proxy.listen()
      await letContinue(container)
      expect((await collect(await runtime.replay(container))).stdout.toString()).toBe(allLines)
      expect(await runtime.wait(container)).toMatchObject({ exitCode: 0 })
    })

    it('an engine that stops and ends its containers is distinguished from a program that killed itself', async () => {
      const { runtime } = bench
      const container = await bench.startUntil('import time\nprint("up")\ntime.sleep(60)', 'up\n')
      const waited = runtime.wait(container)
      waited.catch(() => {})
      await proxy.cut()
      // As an engine without live-restore does on its way down; nobody hears of the signal.
      await ask('POST', `/containers/${container.id}/kill`)
      await expect(waited).rejects.toMatchObject(unreachable)
      await proxy.listen()
      expect((await collect(await runtime.replay(container))).stdout.toString()).toBe('up\n')
      await expect(runtime.wait(container)).rejects.toMatchObject({ code: 'container_gone' })
    })

    it('an engine that stops while a program ends, and has no record of the end, is reported as lost output, not as a failure of the program', async () => {
      const { runtime } = bench
      const container = await bench.startUntil(waiting('print("up")', 'print("result")'), 'up\n')
      await proxy.cut()
      await letContinue(container)
      await direct.runtime.wait(container)
      await proxy.listen()
      // As one that was started anew: it keeps its events in memory.
      proxy.lie(/^GET \/events\?.*until/, 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
      await sleep(100)
      await expect(runtime.wait(container)).rejects.toMatchObject({ code: 'container_gone' })
    })

    it('an engine that stops for one worker only keeps all output and the exit code', async () => {
      const { runtime } = bench
      const container = await bench.startUntil(waiting('print("up")', 'print("result")'), 'up\n')
      await proxy.cut()
      await letContinue(container)
      await direct.runtime.wait(container)
      await proxy.listen()
      await sleep(100)
      expect((await collect(await runtime.replay(container))).stdout.toString()).toBe('up\nresult\n')
      expect(await runtime.wait(container)).toMatchObject({ exitCode: 0 })
    })

    it('an engine that stops and comes back is not the reason if a container later kills itself', async () => {
      const { runtime } = bench
      const source = waiting('print("up")', 'os.kill(os.getpid(), signal.SIGKILL)')
      const container = await bench.startUntil(source, 'up\n')
      await proxy.cut()
      await proxy.listen()
      // The client has to notice first that the connections it keeps are gone.
      await sleep(100)
      const output = await runtime.replay(container)
      await letContinue(container)
      await collect(output)
      expect(await runtime.wait(container)).toMatchObject({ exitCode: 137, outOfMemory: false })
    })
  })

  describe('an engine that hangs', () => {
    it('does not hang its callers', async () => {
      const { runtime } = bench
      proxy.lie(/^GET \/containers\/json/, null)
      await expect(runtime.list(bench.nodeId)).rejects.toMatchObject(unreachable)
    })

    it('an engine that hangs or reports a kill that did not happen is detected: the container still exists', async () => {
      const { runtime } = bench
      const container = await bench.startUntil('import time\nprint("up")\ntime.sleep(60)', 'up')
      proxy.lie(/^POST \/containers\/\w+\/kill/, 'HTTP/1.1 204 No Content\r\n\r\n')
      await expect(runtime.stop(container, 100)).rejects.toMatchObject({ code: 'kill_failed' })
      expect(await runtime.list(bench.nodeId)).toContainEqual({ ...container, state: 'running' })
    })
  })
})
