import { expect, it, vi } from 'vitest'
import { makePerson } from '../../access/testing/people'
import { finishTask } from '../../cluster/tasks/finish-task'
import { appendOutput } from '../../cluster/tasks/task-progress'
import { unfinishedTasks } from '../../cluster/tasks/tasks'
import { placeManually } from '../../cluster/testing/placed'
import { makeJob, makeNode } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { jobEvents } from '../../jobs/live/events'
import { findVisibleJob } from '../../jobs/read/job-visibility'
import { outputTurns } from '../../results/reading/output-reader'

const db = testDatabase()

async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let text = ''
  for await (const bytes of body) {
    text += Buffer.from(bytes).toString()
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    yield* events
  }
}

/** A running job that prints records. */
async function makeRunning() {
  const ada = await makePerson()
  const lease = await makeNode()
  const id = await makeJob({ userId: ada.id })
  await placeManually(lease.nodeId, id)
  const [task] = await unfinishedTasks(lease)
  if (!task) throw new Error('The task does not exist.')
  let start = 0
  const print = async (lines: string) => {
    const records = Buffer.from(lines)
    await appendOutput(lease, task, { start, records, stdoutConsumed: 0, stderrConsumed: 0 })
    start += records.length
  }
  return { ada, lease, task, id, print, printed: () => start }
}

it('sends new output without reading the job again, and every change of the job', async () => {
  const { ada, lease, task, id, print } = await makeRunning()
  const { body } = jobEvents(
    ada.actor,
    await findVisibleJob(ada.actor, id),
    { lastEventId: null },
    new AbortController().signal,
  )
  if (body === null) throw new Error('The response has no body.')
  const events = readEvents(body)
  const next = async () => (await events.next()).value
  expect([await next(), await next()]).toEqual(['retry: 1000', expect.stringContaining('event: job')])

  const asked = vi.spyOn(db.pool, 'query')
  await print('"first"\n')
  expect(await next()).toBe('id: 1:8\nevent: output\ndata: "first"')
  await print('"second"\n')
  expect(await next()).toBe('id: 1:17\nevent: output\ndata: "second"')
  const names = asked.mock.calls.map(([query]) => (query as { name?: string }).name)
  expect(names).toContain('read-chunks')
  expect(names).not.toContain('job-detail')

  await print('"last"\n')
  await finishTask(lease, task, { reason: 'finished', detail: null, exitCode: 0 })
  const rest: string[] = []
  for await (const event of events) rest.push(event)
  expect(rest.filter((event) => event.includes('event: output'))).toEqual([
    'id: 1:24\nevent: output\ndata: "last"',
  ])
  expect(rest.at(-2)).toContain('"status":"completed"')
  expect(rest.at(-1)).toBe('event: end\ndata: {}')
})

it('waits for no turn before a little new output, however much was printed before', async () => {
  const { ada, id, print, printed } = await makeRunning()
  await print(`"${'x'.repeat(98)}"\n`.repeat(10_000))
  const closed = new AbortController()
  const job = await findVisibleJob(ada.actor, id)
  const { body } = jobEvents(ada.actor, job, { lastEventId: null }, closed.signal)
  if (body === null) throw new Error('The response has no body.')
  const turns = [vi.spyOn(outputTurns, 'next'), vi.spyOn(outputTurns, 'run')]
  const events = readEvents(body)
  const until = async (wanted: (event: string) => boolean) => {
    for (;;) {
      const { done, value = '' } = await events.next()
      if (done || wanted(value)) return value
    }
  }
  await until((event) => event.startsWith(`id: 1:${printed()}`))
  expect(turns[0]?.mock.calls.length).toBeGreaterThan(0)
  for (const turn of turns) turn.mockClear()
  await print('"new"\n')
  expect(await until((event) => event.includes('event: output'))).toContain('data: "new"')
  for (const turn of turns) expect(turn).not.toHaveBeenCalled()
  closed.abort()
  vi.restoreAllMocks()
})
