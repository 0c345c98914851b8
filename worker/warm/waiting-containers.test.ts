import { expect, it } from 'vitest'
import { type Waiting, WaitingContainers } from './waiting-containers'

const waiting = (id: string, isReady: boolean, key = 'class'): Waiting => ({
  id,
  key,
  container: { id, name: id, user: { uid: 1, gid: 1 }, imageDigest: 'sha256:1', prepare: ['torch'] },
  files: { job: '/job', results: null, work: null },
  isReady,
  memoryMib: null,
})

it('gives a task the oldest container whose imports are made', () => {
  const containers = new WaitingContainers({ areProven: () => true })
  for (const one of [
    waiting('a', false),
    waiting('b', true),
    waiting('c', true),
    waiting('d', true, 'other'),
  ])
    containers.add(one)
  expect(['class', 'class', 'class', 'class'].map((key) => containers.take(key)?.id)).toEqual([
    'b',
    'c',
    'a',
    undefined,
  ])
  expect([...containers].map(({ id }) => id)).toEqual(['d'])
})

it('gives no container that makes the first imports of its class, because they may fail', () => {
  const containers = new WaitingContainers({ areProven: () => false })
  const first = waiting('a', false)
  containers.add(first)
  expect(containers.take('class')).toBeUndefined()
  first.isReady = true
  expect(containers.take('class')).toBe(first)
  expect([containers.has(first), containers.delete(first)]).toEqual([false, false])
})
