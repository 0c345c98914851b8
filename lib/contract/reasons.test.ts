import { expect, it } from 'vitest'
import { describeReason, endNote, toEndDetail } from './reasons'

const left = 'The program left 1 file (1 B) in /work, which was not kept: a.'

it.each([
  ['finished', null, null],
  ['finished', left, left],
  ['exit_code', 'Exit code 3.', null],
  ['exit_code', `Exit code 137 (SIGKILL). ${left}`, left],
  ['exit_code', `Rank 1 on node "a" ended with exit code 3. ${left}`, left],
  ['timeout', left, null],
] as const)('the end %s with the detail %j has the note %j', (reason, detail, note) => {
  expect(endNote({ reason, reason_text: describeReason(reason, detail) })).toBe(note)
})

it.each(['This job cannot start: it asks for 2 GPUs.', 'No node is large enough now: it asks for 2 GPUs.'])(
  'the detail "%s" of a wait is said as one of an end',
  (detail) => {
    expect(toEndDetail(detail)).toBe('It asks for 2 GPUs.')
    expect(toEndDetail(toEndDetail(detail))).toBe('It asks for 2 GPUs.')
  },
)
