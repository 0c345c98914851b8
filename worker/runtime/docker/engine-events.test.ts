import { PassThrough } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { EngineEvents } from './engine-events'

const patience = { timeout: 30_000 }

const event = (Action: string, ID: string, Attributes = {}) =>
  `${JSON.stringify({ Action, Actor: { ID, Attributes }, timeNano: 1_800_000_000_500_000_000 })}\n`

it('records events of its containers, and continues from the last one when the connection breaks', async () => {
  const streams: PassThrough[] = []
  const sinces: string[] = []
  const watch = new EngineEvents(async ({ since }) => {
    const stream = new PassThrough()
    streams.push(stream)
    sinces.push(since)
    return stream
  })
  const notes = watch.of('a')
  expect(watch.of('a')).toBe(notes)
  await vi.waitUntil(() => streams.length === 1, patience)
  streams[0]?.write(`${event('kill', 'a', { signal: '15' })}${event('oom', 'other')}null\n`)
  await vi.waitUntil(() => notes.signals.size > 0, patience)
  expect(notes).toMatchObject({ outOfMemory: false, signals: new Set([15]) })
  streams[0]?.destroy(new Error('reset'))

  await vi.waitUntil(() => streams.length === 2, patience)
  expect(Number(sinces[1])).toBeCloseTo(1_800_000_000.499, 3)
  streams[1]?.write(event('oom', 'a'))
  await vi.waitUntil(() => notes.outOfMemory, patience)
  watch.forget('a')
  expect(watch.of('a').outOfMemory).toBe(false)
  watch.forget('a')
  streams[1]?.end()
})

it('waits only as long as needed for the event that explains an end by a signal', async () => {
  const stream = new PassThrough()
  const watch = new EngineEvents(async () => stream)
  watch.of('a')
  const known: string[] = []
  const killed = watch.explained('a', 9, 60_000).then(() => known.push('killed'))
  stream.write(event('kill', 'a', { signal: '15' }))
  await watch.explained('a', 15, 60_000)
  expect(known).toEqual([])
  stream.write(event('oom', 'a'))
  await killed
  await watch.explained('b', 9, 20)
  for (const id of ['a', 'b']) watch.forget(id)
  stream.end()
})

it('reports whether the current engine instance has seen a container end', async () => {
  const remembered = [event('kill', 'a', { signal: '9' }), event('die', 'a')]
  const asked: unknown[] = []
  const watch = new EngineEvents(async (query) => {
    if (query.until === undefined) return PassThrough.from([])
    asked.push(query)
    return PassThrough.from(query.container === 'a' ? remembered : [])
  })
  const notes = watch.of('a')
  expect(await watch.sawEnd('a')).toBe(true)
  expect(notes.signals).toEqual(new Set([9]))
  expect(await watch.sawEnd('b')).toBe(false)
  expect(asked).toMatchObject([{ since: '0', container: 'a' }, { container: 'b' }])
  watch.forget('a')
})
