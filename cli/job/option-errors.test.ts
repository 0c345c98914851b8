import { expect, it } from 'vitest'
import { ProblemError } from '@/lib/http/client/problem'
import { describeError } from '../console/describe-error'
import { createProgram } from '../program'
import { withOptionErrors } from './option-errors'

createProgram()

const refusal = (...errors: { path: string; message: string; line?: number }[]) => {
  const [first] = errors
  const detail = `config_file, line ${first?.line}: ${first?.path}: ${first?.message}`
  return new ProblemError({ status: 422, code: 'invalid_fields', detail, errors })
}
const messageOf = async (error: Error) => {
  const caught = await withOptionErrors(() => Promise.reject(error)).catch((refused: unknown) => refused)
  return describeError(caught, 'http://gpuq.test').text
}

it('names the option instead of a line in a file that the user did not write, and only once', async () => {
  const error = refusal({ path: 'gpu_count', message: 'must be at most 8', line: 4 })
  expect(await messageOf(error)).toBe('gpuq: --gpus: must be at most 8\n')
})

it('names each option of several', async () => {
  const errors = [
    { path: 'memory_gb', message: 'must be at least 0.1' },
    { path: 'env.RANK', message: 'is reserved' },
    { path: 'notify_url', message: 'is unknown' },
  ]
  expect(await messageOf(refusal(...errors))).toBe(
    'gpuq: Correct these options:\n  --memory: must be at least 0.1\n  --env RANK: is reserved\n  notify_url: is unknown\n',
  )
})

it('names the options in the sentences, but no limit', async () => {
  const errors = [
    { path: 'expected_time', message: 'must be at most 60, which is your limit max_time. Remove this key' },
    { path: 'gpu_fraction', message: 'is a part of one GPU: remove gpu_count or fresh_nodes: true' },
  ]
  expect(await messageOf(refusal(...errors))).toBe(
    [
      'gpuq: Correct these options:',
      '  --expected-time: must be at most 60, which is your limit max_time. Remove this option',
      '  --gpus: is a part of one GPU: remove --gpus or --fresh-nodes',
      '',
    ].join('\n'),
  )
  const conflict = new ProblemError({ status: 409, code: 'conflict', detail: 'Choose another run_name.' })
  expect(await messageOf(conflict)).toBe('gpuq: Choose another --run-name.\n')
})

it('names the option of a list without the number of the value', async () => {
  const error = refusal({ path: 'retry_on.0', message: 'must be an exit code' })
  expect(await messageOf(error)).toBe('gpuq: --retry-on: must be an exit code\n')
})

it('leaves other errors as they are', async () => {
  const error = new ProblemError({ status: 409, code: 'conflict', detail: 'Wait.' })
  await expect(withOptionErrors(() => Promise.reject(error))).rejects.toBe(error)
})
