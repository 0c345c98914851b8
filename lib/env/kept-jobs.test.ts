import { expect, it } from 'vitest'
import { parseEnv } from '../env'

const parse = (given: Record<string, string>) =>
  parseEnv({ NODE_ENV: 'test', GPUQ_KEEP_JOBS: 'true', ...given }).GPUQ_KEEP_JOBS

it('jobs outlive gpuq only where nobody else starts them again', () => {
  expect(parse({})).toBe(true)
  expect(parse({ GPUQ_KEEP_JOBS: '' })).toBe(false)
  expect(() => parse({ DATABASE_URL: 'postgresql://db.test/gpuq' })).toThrow(
    'GPUQ_KEEP_JOBS: cannot be used with DATABASE_URL: jobs would be started a second time elsewhere',
  )
  expect(() => parse({ GPUQ_ENGINE: 'slurm' })).toThrow('cannot be used with GPUQ_ENGINE=slurm')
})
