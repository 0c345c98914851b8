import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { askEngine } from './testing/engine-probe'
import { EngineProxy } from './testing/engine-proxy'
import { collect, TaskBench } from './testing/task-bench'

const direct = new TaskBench()
let proxy: EngineProxy
let bench: TaskBench

beforeEach(async () => {
  proxy = new EngineProxy()
  await proxy.listen()
  const patience = { answer: 5000, kill: 1000 }
  bench = new TaskBench({ socketPath: proxy.socketPath, patience, nodeId: direct.nodeId })
})

afterEach(async () => {
  await proxy.close()
  await bench.removeDirectories()
})
// The benches share one node: its containers are removed without the proxy between.
afterAll(() => direct.cleanUp())

const slow = 'import time\nfor n in range(20): print("line", n); time.sleep(0.1)'
const allLines = Array.from({ length: 20 }, (_, number) => `line ${number}\n`).join('')
const unreachable = { code: 'engine_unreachable' }

describe('an engine that goes away', () => {
  it('is told apart from the end of a container, which goes on and can be read again from the start', async () => {
    const { runtime } = bench
    const container = await runtime.create(await bench.task(slow))
    const output = await runtime.start(container)
    const read = collect(output)
    const waited = runtime.wait(container)
    const both = Promise.allSettled([read, waited])
    await sleep(500)
    await proxy.cut()
    expect(await both).toMatchObject([
      { status: 'rejected', reason: unreachable },
      { status: 'rejected', reason: unreachable },
    ])
    await expect(runtime.replay(container)).rejects.toMatchObject(unreachable)
    await expect(runtime.list(bench.nodeId)).rejects.toMatchObject(unreachable)
    await expect(runtime.stop(container, 0)).rejects.toMatchObject(unreachable)

    await proxy.listen()
    expect((await collect(await runtime.replay(container))).stdout.toString()).toBe(allLines)
    expect(await runtime.wait(container)).toMatchObject({ exitCode: 0 })
  })

  it('taking its containers along, does not pass for a program that killed itself', async () => {
    const { runtime } = bench
    const container = await bench.startUntil('import time\nprint("up")\ntime.sleep(60)', 'up')
    const waited = runtime.wait(container)
    waited.catch(() => {})
    await proxy.cut()
    // As an engine without live-restore does on its way down; nobody hears of the signal.
    await askEngine('POST', `/containers/${container.id}/kill`)
    await expect(waited).rejects.toMatchObject(unreachable)
    await proxy.listen()
    expect((await collect(await runtime.replay(container))).stdout.toString()).toBe('up\n')
    await expect(runtime.wait(container)).rejects.toMatchObject({ code: 'container_gone' })
  })

  it('while a program ends, and does not remember the end, has lost its last output: no verdict on the program', async () => {
    const { runtime } = bench
    const container = await bench.startUntil('import time\nprint("up")\ntime.sleep(3)\nprint("result")', 'up')
    await proxy.cut()
    await direct.runtime.wait(container)
    await proxy.listen()
    // As one that was started anew: it keeps its events in memory.
    proxy.lie(/^GET \/events\?.*until/, 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    await sleep(100)
    await expect(runtime.wait(container)).rejects.toMatchObject({ code: 'container_gone' })
  })

  it('for this worker alone, has kept all of the output and the exit', async () => {
    const { runtime } = bench
    const container = await bench.startUntil('import time\nprint("up")\ntime.sleep(1)\nprint("result")', 'up')
    await proxy.cut()
    await direct.runtime.wait(container)
    await proxy.listen()
    await sleep(100)
    expect((await collect(await runtime.replay(container))).stdout.toString()).toBe('up\nresult\n')
    expect(await runtime.wait(container)).toMatchObject({ exitCode: 0 })
  })

  it('and comes back under a container that later kills itself, is not blamed for it', async () => {
    const { runtime } = bench
    const source = 'import os, signal, time\nprint("up")\ntime.sleep(4)\nos.kill(os.getpid(), signal.SIGKILL)'
    const container = await bench.startUntil(source, 'up')
    await proxy.cut()
    await proxy.listen()
    // The client has to notice first that the connections it keeps are gone.
    await sleep(100)
    await collect(await runtime.replay(container))
    expect(await runtime.wait(container)).toMatchObject({ exitCode: 137, outOfMemory: false })
  })
})

describe('an engine that hangs', () => {
  it('does not hang its callers', async () => {
    const { runtime } = bench
    proxy.lie(/^GET \/containers\/json/, null)
    await expect(runtime.list(bench.nodeId)).rejects.toMatchObject(unreachable)
  })

  it('or lies about a kill, is found out: the container is still there', async () => {
    const { runtime } = bench
    const container = await bench.startUntil('import time\nprint("up")\ntime.sleep(60)', 'up')
    proxy.lie(/^POST \/containers\/\w+\/kill/, 'HTTP/1.1 204 No Content\r\n\r\n')
    await expect(runtime.stop(container, 100)).rejects.toMatchObject({ code: 'kill_failed' })
    expect(await runtime.list(bench.nodeId)).toContainEqual({ ...container, state: 'running' })
  })
})
