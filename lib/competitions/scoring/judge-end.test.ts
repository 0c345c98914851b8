import { expect, it } from 'vitest'
import { type EndReason, endReasons } from '../../contract/reasons'
import { judgeEnd } from './judge-end'

it.each([
  ['exit_code', 'own_error'],
  ['output_limit', 'own_error'],
  ['timeout', 'time'],
  ['out_of_memory', 'memory'],
  ['never_fits', 'system'],
  ['node_lost', 'system'],
] as const)('a job that ends with %s: the entry fails with %s', (reason, cause) => {
  expect(judgeEnd(reason, null)).toEqual({ state: 'failed', cause, detail: endReasons[reason].message })
})

it('every fault of gpuq is a fault of the system, which costs the team nothing', () => {
  const system = (Object.keys(endReasons) as EndReason[]).filter(
    (reason) => endReasons[reason].fault === 'system',
  )
  expect(system.length).toBeGreaterThan(10)
  for (const reason of system) expect(judgeEnd(reason, null)).toMatchObject({ cause: 'system' })
})

it('a job that a person cancelled: the entry is cancelled, with the reason', () => {
  expect(judgeEnd('cancelled_by_manager', 'It was late.')).toEqual({
    state: 'cancelled',
    detail: 'The job was cancelled by a manager of its project. It was late.',
  })
})
