import { afterAll, expect, it } from 'vitest'
import { EngineGate } from '../../testing/engine-gate'
import type { ContainerRef, TaskContainer } from '../runtime'
import { askEngine } from '../testing/engine-probe'
import { collect } from '../testing/runtime-bench'
import { TaskBench } from '../testing/task-bench'

const gates: EngineGate[] = []
const benches: TaskBench[] = []
afterAll(async () => {
  await Promise.all(benches.map((bench) => bench.cleanUp()))
  await Promise.all(gates.map((gate) => gate.close()))
})

async function open() {
  const gate = await EngineGate.open()
  const bench = new TaskBench({ socketPath: gate.socketPath })
  gates.push(gate)
  benches.push(bench)
  const task = await bench.task('print("ran")')
  return { gate, bench, task, warm: await bench.runtime.warm.start(task) }
}

async function run({ runtime }: TaskBench, container: ContainerRef): Promise<string> {
  const { stdout } = await collect(await runtime.start(container))
  expect(await runtime.wait(container)).toMatchObject({ exitCode: 0 })
  return stdout.toString()
}

it('starts a program over the connection that was opened in advance', async () => {
  const { gate, bench, task, warm } = await open()
  gate.lie(/^POST \S*\/attach\?stream=1&stdin=1/, 'HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n')
  const container = await bench.runtime.create({ ...task, digest: Promise.resolve(warm.imageDigest), warm })
  expect(container.warm).toBe(true)
  expect(await run(bench, container)).toBe('ran\n')
})

it('is not used by a job whose image has another digest now', async () => {
  const { bench, task, warm } = await open()
  const moved: TaskContainer = { ...task, digest: Promise.resolve('sha256:other'), warm }
  const container = await bench.runtime.create(moved)
  expect(container.warm).toBe(false)
  expect(await run(bench, container)).toBe('ran\n')
})

it('is not used if it does not run any more, although it got the name of the task', async () => {
  const { bench, task, warm } = await open()
  expect((await askEngine('POST', `/containers/${warm.id}/pause`)).status).toBe(204)
  const container = await bench.runtime.create({ ...task, warm })
  expect(container).toMatchObject({ warm: false })
  expect(container.id).not.toBe(warm.id)
  expect(await run(bench, container)).toBe('ran\n')
})
