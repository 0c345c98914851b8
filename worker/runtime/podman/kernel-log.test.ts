import { expect, it } from 'vitest'
import { isKill, wasKilledForMemory } from './kernel-log'

const id = 'a'.repeat(64)
const record = (cgroup: string) =>
  `6,1089,1363047367,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),oom_memcg=${cgroup},task_memcg=${cgroup},task=python3,pid=3165,uid=22431\n`

it('recognizes a kill in the cgroup of a container, with either cgroup manager', () => {
  expect(isKill(record(`/libpod_parent/libpod-${id}`), id)).toBe(true)
  expect(isKill(record(`/machine.slice/libpod-${id}.scope/container`), id)).toBe(true)
  expect(isKill(record(`/machine.slice/libpod-${'b'.repeat(64)}.scope`), id)).toBe(false)
  expect(isKill(`6,1,1,-;a program wrote libpod-${id} task_memcg=libpod-${id}`, id)).toBe(false)
})

it('knows nothing without a log', () => {
  expect(wasKilledForMemory(id, '/no/such/log')).toBe(false)
})
