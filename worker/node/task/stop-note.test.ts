import { expect, it } from 'vitest'
import { stopNotes } from './stop-note'

const task = ({
  expected_time,
  ...spec
}: {
  expected_time: number
  max_time?: number
  memory_gb?: number
}) => ({
  timeLimitS: 65,
  expectedTimeS: expected_time,
  memoryMib: 512,
  spec,
})

it('names the limit, its source and the key to change', () => {
  const timeout = (...given: Parameters<typeof task>) => stopNotes({ reason: 'timeout' }, task(...given))[0]
  expect(timeout({ expected_time: 5 })).toBe(
    'stopped: it ran longer than its time limit of 65 s (expected_time: 5). Set max_time, or a longer expected_time, to allow more.',
  )
  expect(timeout({ expected_time: 300, max_time: 65 })).toContain(
    '65 s (max_time: 65). Set a longer max_time',
  )
  expect(timeout({ expected_time: 300 })).toContain('65 s, the maximum of this server (GPUQ_MAX_TIME_S)')
  const memory = (memory_gb?: number) =>
    stopNotes({ reason: 'out_of_memory' }, task({ expected_time: 5, ...(memory_gb && { memory_gb }) }))[0]
  expect(memory(0.5)).toBe(
    'stopped: it used more memory than its limit of 512 MiB (memory_gb: 0.5). Set memory_gb to allow more.',
  )
  expect(memory()).toContain('512 MiB (the default for its GPUs and CPUs)')
  expect(stopNotes({ reason: 'exit_code' }, task({ expected_time: 5 }))).toEqual([])
})
