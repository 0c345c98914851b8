import { expect, it } from 'vitest'
import { checkOutputs } from './check-outputs'

const MiB = 1024 * 1024
const stored = (path: string, bytes = 10) => ({ id: path, path, bytes, sha256: 'hash' })
const declared = [
  { path: 'pred.csv', max_mb: 1 },
  { path: 'sub/model.bin', max_mb: 2 },
]

it('all declared outputs are stored: the scoring program gets them, and no other file', () => {
  const files = [stored('log.txt'), stored('sub/model.bin', 2 * MiB), stored('pred.csv')]
  expect(checkOutputs(declared, files)).toEqual({
    outputs: [stored('pred.csv'), stored('sub/model.bin', 2 * MiB)],
  })
})

it('an output is missing, or has another path: the staff is told which one', () => {
  expect(checkOutputs(declared, [stored('pred.csv'), stored('model.bin')])).toEqual({
    problem: 'The program left no plain file /results/sub/model.bin.',
  })
})

it('an output is larger than declared: it is refused', () => {
  expect(checkOutputs(declared, [stored('pred.csv', MiB + 1), stored('sub/model.bin')])).toEqual({
    problem: '/results/pred.csv has 1.0 MiB, and at most 1 MiB are accepted.',
  })
})
