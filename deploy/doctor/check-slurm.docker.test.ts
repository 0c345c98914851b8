import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testedValues } from '@/lib/env/testing/test-matrix'
import type { NodeCheck } from '@/lib/node-checks/contract'
import { SlurmCluster } from '@/worker/slurm/testing/slurm-cluster'
import { SlurmLab } from '@/worker/slurm/testing/slurm-lab'

const root = resolve(import.meta.dirname, '../..')

let slurm: SlurmCluster
let lab: SlurmLab
beforeAll(async () => {
  slurm = await SlurmCluster.start()
  lab = await SlurmLab.open(slurm)
})
afterAll(async () => {
  await lab?.lab.close()
  await slurm?.stop()
})

/** Runs the program with variables. Its code is 1 if a check failed. */
async function runDoctor(variables: Record<string, string>, ...args: string[]) {
  const env = {
    ...process.env,
    GPUQ_ENGINE: 'slurm',
    GPUQ_SLURM_DIRECTORY: lab.lab.directory,
    DATABASE_URL: lab.lab.database.url,
    ...slurm.env,
    ...variables,
  }
  const command = ['--import', 'tsx', join(root, 'deploy/doctor/main.ts'), '--engine', 'slurm', ...args]
  const { stdout, code } = await promisify(execFile)(process.execPath, command, { env, cwd: root }).then(
    (ended) => ({ stdout: ended.stdout, code: 0 }),
    (error: { stdout: string; code: number }) => error,
  )
  return { stdout, code }
}

async function checks(variables: Record<string, string> = {}, ...args: string[]) {
  const { stdout, code } = await runDoctor(variables, '--json', ...args)
  const list: NodeCheck[] = JSON.parse(stdout)
  return { code, of: (id: string) => list.find((check) => check.id === id) }
}

test('finds the workers that miss, and passes when each node has one', async () => {
  const before = await checks()
  expect(before.code).toBe(1)
  expect(before.of('slurm_workers')).toMatchObject({ status: 'failure' })
  await lab.startWorkers('n0', 'n1')
  const some = await checks()
  expect(some.code).toBe(0)
  expect(some.of('slurm_workers')?.found).toContain('Missing: n2, n3')
  expect(some.of('slurm')?.found).toMatch(/^Slurm 2\d\.\d\d.* answers\.$/)
  expect(some.of('slurm_gpus')?.found).toBe('32 GPUs on 4 of 4 Slurm nodes.')
  expect(some.of('slurm_accounting')?.status).toBe('warning')
  expect(some.of('slurm_cgroups')?.found).toContain('proctrack/linuxproc')
  expect(some.of('slurm_directory')?.status).toBe('ok')
  const printed = await runDoctor({})
  expect(printed.stdout).toMatch(/What to do: .*slurmdbd/)
  expect(printed.stdout).toMatch(/Slurm: \d warnings\.\n$/)
})

test('tries the account of a user, and says what sudo lacks', async () => {
  const identity = { GPUQ_SLURM_IDENTITY: 'user' }
  expect((await checks(identity)).of('slurm_identity')?.status).toBe('warning')
  expect((await checks(identity, '--unix-user', 'nobody')).of('slurm_identity')?.status).toBe('ok')
  const unknown = (await checks(identity, '--unix-user', 'no-such-account')).of('slurm_identity')
  expect(unknown?.found).toContain('unknown user no-such-account')
  expect(unknown?.action).toContain('sudoers')
})

test('says that a missing configuration of Slurm is a failure', async () => {
  const withoutConfig = await checks({ SLURM_CONF: '/nonexistent/slurm.conf' })
  expect(withoutConfig.of('slurm')).toMatchObject({ status: 'failure' })
})

test.each(testedValues([], ['slurmrestd']))(
  'checks %s, and says what to do if it does not answer',
  async () => {
    const rest = await slurm.startRest()
    const answering = await checks(rest)
    expect(answering.of('slurm')?.status).toBe('ok')
    expect(answering.of('slurm_min_job_age')?.status).toBe('not_applicable')
    const silent = await checks({ ...rest, GPUQ_SLURM_URL: 'http://127.0.0.1:9' })
    expect(silent.code).toBe(1)
    expect(silent.of('slurm')?.action).toContain('GPUQ_SLURM_URL')
  },
)
