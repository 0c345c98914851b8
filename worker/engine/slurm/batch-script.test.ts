import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { batchScript } from './batch-script'

const script = { rowId: 'row', secret: 'secret', directory: '/run/gpuq' }

describe.each([1, 2])('the batch script for %i nodes', (nodes) => {
  it('is valid bash', async () => {
    const checked = promisify(execFile)('bash', ['-n', '-c', batchScript({ ...script, nodes })])
    await expect(checked).resolves.toMatchObject({ stderr: '' })
  })

  it('hands the secret to no program: only a builtin of bash and a standard input contain it', () => {
    const lines = batchScript({ ...script, nodes })
      .split('\n')
      .filter((line) => line.includes('secret'))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^ +printf 'gpuq 1 secret row /)
  })
})

it('refuses a directory that bash would read differently', () => {
  expect(() => batchScript({ ...script, nodes: 1, directory: '/run/$(id)' })).toThrow('GPUQ_SLURM_DIRECTORY')
})
