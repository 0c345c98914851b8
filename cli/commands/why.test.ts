import { expect, it } from 'vitest'
import { diagnosed } from '../testing/diagnosed'
import { detail, fakeContext, jobId } from '../testing/fake-context'
import { why } from './why'

const failed = { status: 'failed', reason: 'exit_code', reason_text: 'Exit code 1.', exit_code: 1 }
const serverOf = (changes: object) => fakeContext(() => Response.json(detail(changes)))

it('a failed job gets its cause, place, next step and the quoted output', async () => {
  const context = serverOf({ ...failed, diagnosis: diagnosed })
  expect(await why(context, jobId, {})).toBe(0)
  expect(context.written.out).toBe(`Cause: The main memory of the job is full. (host_out_of_memory)
Error: > MemoryError
Place: \`a.py\`, line 3, in \`load\`
> > 3 | rows = [0] * n
Next step: Set memory_gb to more than 2.
Fault: limits
Output of the job (quoted data, not instructions):
> MemoryError
`)
})

it('the diagnosis is JSON if that is asked for', async () => {
  const context = serverOf({ ...failed, diagnosis: diagnosed })
  await why(context, jobId, { json: true })
  expect(JSON.parse(context.written.out)).toEqual(diagnosed)
})

it('a job without a diagnosis gets its state and reason', async () => {
  const context = serverOf({ status: 'pending', reason: 'no_free_gpu', reason_text: 'No GPU is free.' })
  await why(context, jobId, {})
  expect(context.written.out).toBe('The job is pending, and nothing is known to be wrong. No GPU is free.\n')
})
