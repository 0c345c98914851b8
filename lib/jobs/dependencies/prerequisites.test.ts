import { expect, it } from 'vitest'
import { conditions } from '../../contract/config/depends-on'
import { describeFailed, describeWait, type Prerequisite, stateOf } from './prerequisites'

const job: Prerequisite = {
  id: 'job-1',
  isGroup: false,
  projectId: 'p',
  name: 'prepare',
  status: 'running',
  hasEnded: false,
  hasSucceeded: false,
  members: null,
  endedMembers: null,
}
const group: Prerequisite = {
  ...job,
  id: 'group-1',
  isGroup: true,
  name: 'sweep',
  members: 9,
  endedMembers: 3,
}
const ended = { hasEnded: true, status: 'failed' } as const

it.each([
  { what: 'live', other: job, states: ['open', 'open', 'open'] },
  {
    what: 'that succeeded',
    other: { ...job, ...ended, hasSucceeded: true },
    states: ['met', 'met', 'failed'],
  },
  { what: 'that failed', other: { ...job, ...ended }, states: ['failed', 'met', 'met'] },
  { what: 'that was deleted', other: null, states: ['failed', 'met', 'met'] },
])('the conditions ok, any and failed on a job $what are $states', ({ other, states }) => {
  expect(conditions.map((when) => stateOf({ when, other }))).toEqual(states)
})

it('the wait for jobs names those that have not ended, and for groups how far they are', () => {
  const dependencies = [
    { id: 'job-3', when: 'ok', other: { ...job, id: 'job-3' } },
    { id: 'job-1', when: 'ok', other: job },
    { id: 'job-2', when: 'failed', other: { ...job, id: 'job-2' } },
    { id: 'done', when: 'any', other: { ...job, ...ended, id: 'done' } },
    { id: 'group-1', when: 'any', other: group },
  ] as const
  expect(describeWait(dependencies, 'p')).toBe(
    'Not completed: job-1, job-3. Not ended: job-2. Waits for group sweep: 3 of 9 ended.',
  )
  expect(describeWait([{ id: 'done', when: 'any', other: { ...job, ...ended } }], 'p')).toBeNull()
  expect(describeWait([], 'p')).toBeNull()
})

it('what can never be met is waited for until the leader cancels the job', () => {
  const failed = { id: 'job-1', when: 'ok', other: { ...job, ...ended } } as const
  expect(describeWait([failed, { ...failed, id: 'gone', other: null }], 'p')).toBe(
    'Not completed: gone, job-1.',
  )
})

it('a group of another project, and one without a name, is named by its id', () => {
  const sentence = 'Waits for group group-1: 3 of 9 ended.'
  expect(describeWait([{ id: 'group-1', when: 'ok', other: group }], 'other')).toBe(sentence)
  expect(describeWait([{ id: 'group-1', when: 'ok', other: { ...group, name: null } }], 'p')).toBe(sentence)
})

it.each([
  {
    when: 'ok',
    other: { ...job, ...ended },
    reason: 'dependency_failed',
    detail: 'The job x has ended as failed.',
  },
  {
    when: 'failed',
    other: { ...job, ...ended, status: 'completed', hasSucceeded: true },
    reason: 'dependency_completed',
    detail: 'The job x has ended as completed.',
  },
  { when: 'ok', other: null, reason: 'dependency_failed', detail: 'The job or group x was deleted.' },
  {
    when: 'ok',
    other: { ...group, ...ended },
    reason: 'dependency_failed',
    detail: 'The group sweep was cancelled, or has a member that failed or was cancelled.',
  },
  {
    when: 'failed',
    other: { ...group, ...ended, hasSucceeded: true },
    reason: 'dependency_completed',
    detail: 'The group sweep has ended, and no member failed or was cancelled.',
  },
] as const)('a dependency that is never met ends the job as $reason: $detail', ({ when, other, ...end }) => {
  expect(describeFailed({ id: 'x', when, other: other && { ...other, id: 'x' } }, 'p')).toEqual(end)
})
