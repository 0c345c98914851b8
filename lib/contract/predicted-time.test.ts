import { expect, it } from 'vitest'
import { describeBasis, describeStartBasis } from './predicted-time'

it('says what a predicted run time is based on', () => {
  const basis = { basis: 'same_program', jobs: 12, seconds: 60 } as const
  expect(describeBasis(basis)).toBe('from 12 earlier jobs with the same content or name')
})

it('says what an expected start rests on, and when a long job moved it', () => {
  const basis = { basis: 'same_program', jobs: 12, delaySeconds: 0 } as const
  const sentence =
    'The start depends on the end of a running job, which is expected from 12 earlier jobs with its content or name.'
  expect(describeStartBasis(basis)).toBe(sentence)
  expect(describeStartBasis({ ...basis, delaySeconds: 59 })).toBe(sentence)
  const moved = (delaySeconds: number) => describeStartBasis({ ...basis, delaySeconds })
  const longer = `${sentence} That job runs longer than expected, so the start moved by about`
  expect(moved(1_200)).toBe(`${longer} 20 min.`)
  expect(moved(3_725)).toBe(`${longer} 1 h 2 min.`)
  expect(moved(90_000)).toBe(`${longer} 1 d 1 h.`)
  expect(describeStartBasis({ basis: 'estimate', jobs: 0, delaySeconds: 0 })).toContain(
    "from its user's estimate.",
  )
})
