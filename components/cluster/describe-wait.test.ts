import { expect, it } from 'vitest'
import { describeWait } from './describe-wait'

it.each([
  [null, null, 'In the queue.'],
  ['no_free_gpu', null, 'The GPUs, CPUs or memory that the job needs are not free.'],
  [
    'quota',
    'It holds 4 of 4.',
    "With this job, the project's jobs would use more GPUs than its quota allows. It holds 4 of 4.",
  ],
  ['a_new_one', null, 'a new one.'],
])('%s and %s become "%s"', (reason, detail, text) => expect(describeWait(reason, detail)).toBe(text))
