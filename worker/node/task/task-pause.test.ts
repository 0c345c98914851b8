import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { TaskPause } from './task-pause'

const events: string[] = []
const container = { pause: vi.fn(), resume: vi.fn() }

function pauseOf(given: Partial<ClaimedTask> = {}, stopping = new AbortController()) {
  const task = { id: 'task', jobId: 'job', timeLimitS: 100, ranSeconds: 0, wasPaused: false, ...given }
  return new TaskPause(task, container, stopping, () => events.push('timeout'))
}

beforeEach(() => {
  vi.useFakeTimers()
  events.length = 0
  for (const name of ['pause', 'resume'] as const)
    container[name].mockReset().mockImplementation(async () => void events.push(name))
})
afterEach(() => vi.useRealTimers())

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000)

it('does not count pauses towards the time limit', async () => {
  const pause = pauseOf({ ranSeconds: 40 })
  pause.begin()
  await pass(30)
  pause.set(true)
  await pass(1000)
  expect(events).toEqual(['pause'])
  expect(pause.isPaused).toBe(true)
  pause.set(false)
  await pass(29)
  expect(events).toEqual(['pause', 'resume'])
  await pass(1)
  expect(events.at(-1)).toBe('timeout')
})

it('tries again what failed, with the next order', async () => {
  const pause = pauseOf()
  pause.begin()
  container.pause.mockRejectedValueOnce(new Error('the engine does not answer'))
  pause.set(true)
  await pass(0)
  expect(events).toEqual([])
  pause.set(true)
  await pass(0)
  expect(events).toEqual(['pause'])
})

it('pauses a container that starts while its job is suspended, and not before', async () => {
  const pause = pauseOf()
  pause.set(true)
  await pass(10)
  expect(events).toEqual([])
  pause.begin()
  pause.set(true)
  await pass(200)
  expect(events).toEqual(['pause'])
})

it('leaves an adopted container paused, or resumes it', async () => {
  const kept = pauseOf({ wasPaused: true, ranSeconds: 99 })
  kept.begin()
  await pass(200)
  kept.set(true)
  await pass(200)
  expect(events).toEqual(['pause'])
  events.length = 0
  const resumed = pauseOf({ wasPaused: true, ranSeconds: 99 })
  resumed.begin()
  resumed.set(false)
  await pass(0)
  expect(events).toEqual(['resume'])
  await pass(1)
  expect(events.at(-1)).toBe('timeout')
})

it('pauses no container that must stop or has ended', async () => {
  const stopping = new AbortController()
  const pause = pauseOf({}, stopping)
  pause.begin()
  stopping.abort()
  pause.set(true)
  await pass(0)
  pause.end()
  const ended = pauseOf()
  ended.begin()
  ended.end()
  ended.set(true)
  await pass(1000)
  expect(events).toEqual([])
})

it('counts a time limit that is longer than a timer can be', async () => {
  const day = 24 * 60 * 60
  const pause = pauseOf({ timeLimitS: 30 * day })
  pause.begin()
  await pass(30 * day - 1)
  expect(events).toEqual([])
  await pass(1)
  expect(events).toEqual(['timeout'])
})
