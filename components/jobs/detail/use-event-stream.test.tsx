import { act, renderHook, waitFor } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { FakeEventSource } from '../../testing/render'
import { useEventStream } from './use-event-stream'

const record = (text: string) => JSON.stringify({ type: 'stdout', t: '2026-11-22T10:00:00.000Z', text })

beforeEach(() => vi.stubGlobal('EventSource', FakeEventSource))

function openStream(records: readonly string[], isTail = false) {
  const { result } = renderHook(() => useEventStream('/events', () => {}, { records, isTail }))
  const { store } = result.current
  const lines = () =>
    Array.from({ length: store.lines.end - store.lines.first }, (_, row) => store.lines.read(row)?.text)
  return { store, lines, result }
}

const emit = (type: string, data: string) => act(() => FakeEventSource.latest?.emit(type, data))

it('shows the first records until the stream sends the output, and then each line once', async () => {
  const { store, lines } = openStream([record('a'), record('b')])
  expect(lines()).toEqual(['a', 'b'])
  emit('open', '')
  expect(lines()).toEqual(['a', 'b'])
  const counts: number[] = []
  // After each task of the browser, which could draw a frame then.
  store.subscribe(() => queueMicrotask(() => counts.push(lines().length)))
  emit('output', [record('a'), record('b'), record('c')].join('\n'))
  await waitFor(() => expect(lines()).toEqual(['a', 'b', 'c']))
  await waitFor(() => expect(counts).toContain(3))
  expect(counts).not.toContain(0)
  emit('output', record('d'))
  await waitFor(() => expect(lines()).toEqual(['a', 'b', 'c', 'd']))
})

it('removes the first records if the output was deleted since', async () => {
  const { lines } = openStream([record('a')])
  emit('job', '{}')
  emit('end', '{}')
  await waitFor(() => expect(lines()).toEqual([]))
})

it('shows the last records until all output has come', async () => {
  const { store, lines, result } = openStream([record('y'), record('z')], true)
  expect([lines(), store.isTail]).toEqual([['y', 'z'], true])
  emit('output', ['a', 'b', 'y'].map(record).join('\n'))
  emit('output', record('z'))
  // A later event of the same queue.
  await waitFor(() => expect(store.version).toBeGreaterThan(1))
  expect(lines()).toEqual(['y', 'z'])
  expect(result.current.loaded).toBe(false)
  emit('job', '{}')
  await waitFor(() => expect(lines()).toEqual(['a', 'b', 'y', 'z']))
  expect(store.isTail).toBe(false)
  await waitFor(() => expect(result.current.loaded).toBe(true))
})
