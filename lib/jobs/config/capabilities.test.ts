import { afterEach, describe, expect, it, vi } from 'vitest'
import { parseConfig } from '../../contract/config/config'
import { loadEnv } from '../../env'
import { requireCapabilities } from './capabilities'

const commands = { GPUQ_PROVISION_UP: 'up', GPUQ_PROVISION_DOWN: 'down' }

afterEach(() => {
  vi.unstubAllEnvs()
  loadEnv({})
})

describe('a job with nodes of its own', () => {
  it('needs the commands of the admin', async () => {
    await expect(requireCapabilities({ fresh_nodes: true })).rejects.toThrow(
      'an admin must set GPUQ_PROVISION_UP and GPUQ_PROVISION_DOWN',
    )
    loadEnv(commands)
    await requireCapabilities({ fresh_nodes: true })
  })

  it('passes on only options that the admin allows', async () => {
    const job = { fresh_nodes: true, provision_args: ['--labels=team=a', '--service-account=root'] }
    loadEnv(commands)
    await expect(requireCapabilities(job)).rejects.toThrow('--labels is not allowed: the admin allows none')
    loadEnv({ ...commands, GPUQ_PROVISION_OPTIONS: '--labels, --network' })
    await expect(requireCapabilities(job)).rejects.toThrow(
      '--service-account is not allowed: allowed are --labels, --network',
    )
    await requireCapabilities({ ...job, provision_args: ['--labels=team=a'] })
  })

  it('is refused with options that a shell could interpret, or without nodes of its own', () => {
    const errorsOf = (args: unknown[], fresh = true) => {
      const keys = { competition_id: 'c', project_id: 'p', expected_time: 1, fresh_nodes: fresh }
      const parsed = parseConfig(JSON.stringify({ ...keys, provision_args: args }))
      return parsed.ok ? [] : parsed.errors.map(({ path }) => path)
    }
    expect(errorsOf(['--reserved', '--network=projects/a/b', '--labels=a=b,c=d'])).toEqual([])
    for (const bad of [
      'x',
      '-x',
      '--',
      '--a b',
      '--a=b c',
      '--a=$(id)',
      '--a=`id`',
      '--a=b\nc',
      '--a=;id',
      '--A=b',
      '--a=',
      7,
    ])
      expect(errorsOf([bad]), String(bad)).toEqual(['provision_args.0'])
    expect(errorsOf(Array.from({ length: 17 }, () => '--a'))).toEqual(['provision_args'])
    expect(errorsOf(['--a'], false)).toEqual(['provision_args'])
  })
})

it('a job that depends on a job in Slurm needs the engine Slurm', async () => {
  const job = { fresh_nodes: false, depends_on: ['slurm:17'] }
  await expect(requireCapabilities(job)).rejects.toThrow(
    'name jobs and groups of gpuq by their ids instead of slurm:17',
  )
  await requireCapabilities({ ...job, depends_on: ['01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e61'] })
})

it('the allowed options are names', () => {
  for (const text of ['network', '--a=b', '--a --b', '--a,,--b'])
    expect(() => loadEnv({ GPUQ_PROVISION_OPTIONS: text }), text).toThrow('GPUQ_PROVISION_OPTIONS')
})
