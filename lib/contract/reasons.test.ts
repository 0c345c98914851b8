import { expect, it } from 'vitest'
import { describeReason, endNote } from './reasons'

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
