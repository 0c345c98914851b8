import { expect, it } from 'vitest'
import { describeWait } from './describe-wait'

it.each([
  [null, null, 'In the queue.'],
  ['no_free_gpu', null, 'The GPUs, CPUs or memory that the job needs are not free.'],
  ['quota', 'It holds 4 of 4.', 'The project has too few GPUs left in its quota. It holds 4 of 4.'],
  [
    'never_fits',
    'This job cannot start: it asks for 8 GPUs, and the largest node has 2.',
    'This job cannot start: it asks for 8 GPUs, and the largest node has 2.',
  ],
  ['a_new_one', null, 'a new one.'],
])('%s and %s become "%s"', (reason, detail, text) => expect(describeWait(reason, detail)).toBe(text))
