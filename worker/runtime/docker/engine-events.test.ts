import { PassThrough } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { EngineEvents, type EventQuery } from './engine-events'

const patience = { timeout: 30_000 }

let liveRestore = false
const engine = { onBroken: () => {}, usesLiveRestore: async () => liveRestore }

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
  }, engine)
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
  const watch = new EngineEvents(async () => stream, engine)
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

it('reports whether the engine saw the end of a container and did not cause it', async () => {
  let remembered: string[] = []
  const streams: PassThrough[] = []
  const open = async ({ until }: EventQuery) => {
    if (until !== undefined) return PassThrough.from(remembered)
    streams.push(new PassThrough())
    return streams.at(-1) as PassThrough
  }
  const watch = new EngineEvents(open, engine)
  const notes = watch.of('a')
  await vi.waitUntil(() => streams.length === 1, patience)
  streams[0]?.end()
  // The engine answers again.
  await vi.waitUntil(() => streams.length === 2, patience)
  const interruptedMs = notes.interruptedMs ?? 0
  const at = (ms: number, text: string) => `${JSON.stringify({ ...JSON.parse(text), timeNano: ms * 1e6 })}\n`
  const started = at(interruptedMs - 5, event('start', 'other'))
  const ended = at(interruptedMs + 5, event('die', 'a'))

  remembered = [started, at(interruptedMs + 4, event('kill', 'a', { signal: '9' })), ended]
  expect(await watch.sawEnd('a')).toBe(true)
  expect(notes.signals).toEqual(new Set([9]))
  // The engine was started again before the container ended.
  const endedLater = at(Date.now() + 5, event('die', 'a'))
  remembered = [endedLater]
  expect(await watch.sawEnd('a')).toBe(false)
  liveRestore = true
  expect(await watch.sawEnd('a')).toBe(true)
  // It ended while the engine started, which lost its last output.
  remembered = [ended]
  expect(await watch.sawEnd('a')).toBe(false)
  remembered = [started]
  expect(await watch.sawEnd('a')).toBe(false)
  watch.forget('a')
  streams[1]?.end()
})
