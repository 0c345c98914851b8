import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { makeUser } from '@/lib/cluster/testing/rows'
import type { NodeCheck } from '@/lib/node-checks/contract'
import { slurmClient } from '@/lib/slurm/client/slurm'
import { cancel } from '../testing/cancel'
import { expectAllTrue } from '../testing/truth'
import { UnixAccounts } from '../testing/unix-accounts'
import { until } from '../testing/until'
import { batchScript } from './batch-script'
import { type SlurmLab, slurmTests } from './testing/slurm-lab'

const spec = { cpu: 1, memory_gb: 0.25 }
const forever = 'import time\nprint("started", flush=True)\nwhile True: time.sleep(0.1)'
const identity = { GPUQ_SLURM_IDENTITY: 'user' }

// The accounts are removed when no job of theirs is left.
let accounts: UnixAccounts | undefined
afterAll(() => accounts?.remove())
const { it, cluster } = slurmTests(async () => {
  accounts = await UnixAccounts.create(3)
  return { accounting: true, lines: ['AccountingStorageEnforce=associations,limits'] }
})

/** Ada may run one job at a time, Grace may have one job in Slurm. Slurm does not know Mallory. */
let [ada, grace, mallory] = ['', '', '']
beforeAll(async () => {
  ;[ada = '', grace = '', mallory = ''] = accounts?.names ?? []
  const change = (...args: string[]) => cluster().run('sacctmgr', ['--immediate', ...args])
  await change('add', 'account', 'lab')
  await change('add', 'user', ada, 'account=lab', 'MaxJobs=1')
  await change('add', 'user', grace, 'account=lab', 'MaxSubmitJobs=1')
  for (const name of [ada, grace])
    await until(`slurmctld accepts jobs of ${name}`, () =>
      runAs(name, 'sbatch', '--test-only', '--chdir=/', '--wrap=true').then(
        () => true,
        () => false,
      ),
    )
})

function runAs(name: string, ...command: string[]): Promise<string> {
  if (!accounts) throw new Error('The accounts were not made.')
  return accounts.runAs(name, cluster().env, command)
}

/** Submits a job of the user whose handle is the name of a Unix account. */
async function submitAs(lab: SlurmLab, handle: string, code: string): Promise<string> {
  const userId = await makeUser(handle, lab.lab.database.pool)
  return lab.jobs.submit(code, { spec, userId, maxRetries: 0 })
}

async function expectRefused(lab: SlurmLab, job: string, detail: RegExp): Promise<void> {
  const ended = await lab.jobs.untilFinal(job)
  expect(ended).toMatchObject({ status: 'failed', reason: 'slurm_refused', attempt: 0 })
  expect(ended.reasonDetail).toMatch(detail)
}

/** What all Slurm jobs of the tests have in common. */
const submission = {
  name: 'gpuq-test',
  comment: 'gpuq:test',
  nodes: 1,
  gpus: 0,
  gpuType: null,
  shards: 0,
  cpus: 1,
  memoryMib: 100,
  timeLimitS: 600,
  graceS: 30,
  nice: 0,
  account: null,
  partition: null,
  qos: null,
  reservation: null,
  dependency: null,
  requeue: true,
} as const

/** The variables of all processes of a Slurm job on this machine, which its owner can read. */
async function environmentsOf(slurmId: number): Promise<string[][]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const read = pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''))
  const all = (await Promise.all(read)).map((text) => text.split('\0').filter(Boolean))
  return all.filter(
    (variables) =>
      variables.includes(`SLURM_JOB_ID=${slurmId}`) &&
      variables.includes(`SLURM_CONF=${cluster().configFile}`),
  )
}

describe('each Slurm job belongs to the Unix account of its user', { concurrent: false }, () => {
  it('each Slurm job belongs to the Unix account of its user and its associations and limits apply', async ({
    openSlurmLab,
  }) => {
    const lab = await openSlurmLab()
    await lab.startWorker('n0', { variables: identity })
    await lab.lab.untilReady(1)
    const first = await submitAs(lab, ada, forever)
    await lab.jobs.untilPrinted(first, /started/)
    const slurmId = await lab.untilSubmitted(first)
    expect(await lab.field(slurmId, 'UserId')).toMatch(new RegExp(`^${ada}\\(`))
    expect(await lab.field(slurmId, 'Account')).toBe('lab')
    const second = await submitAs(lab, ada, 'print("second")')
    await lab.jobs.until('it waits for the limit of its user', async () =>
      (await lab.jobs.row(second)).reasonDetail?.includes('AssocMaxJobsLimit'),
    )
    const other = await submitAs(lab, grace, forever)
    await lab.jobs.untilPrinted(other, /started/)
    expect(await lab.field(await lab.untilSubmitted(other), 'UserId')).toMatch(new RegExp(`^${grace}\\(`))
    await expectRefused(lab, await submitAs(lab, grace, 'print(1)'), /AssocMaxSubmitJobLimit/)
    await expectRefused(lab, await submitAs(lab, mallory, 'print(1)'), /Invalid account/)
    await expectRefused(lab, await submitAs(lab, 'gpuq-test-nobody', 'print(1)'), /unknown user/)
    for (const job of [first, other]) {
      await cancel(lab.lab, job)
      expect(await lab.jobs.untilFinal(job)).toMatchObject({
        status: 'cancelled',
        reason: 'cancelled_by_user',
      })
      await lab.untilRow(job, 'its Slurm job has ended', ({ ended }) => ended)
    }
    expect(await lab.jobs.untilFinal(second)).toMatchObject({ status: 'completed', attempt: 1 })
    await lab.untilRow(second, 'its row ends', ({ ended }) => ended)
    await expectAllTrue(lab.lab)
  })

  it('each Slurm job belongs to the Unix account of its user who finds nothing in its script and its environment but the secret of this job, and nobody else reads the script', async () => {
    const secret = randomBytes(32).toString('base64url')
    const ofWorker = { DATABASE_URL: 'postgresql://of.the.worker', GPUQ_SECRET: 'the key of all tokens' }
    const client = slurmClient({}, { ...process.env, ...ofWorker, ...cluster().env })
    const script = batchScript({ rowId: randomUUID(), secret, directory: '/nowhere', nodes: 1 })
    const id = await client.submit({ ...submission, script, unixUser: ada })
    const environments = await until('its batch script runs', async () => {
      const found = await environmentsOf(id)
      return found.length > 0 && found
    })
    const print = ['scontrol', 'write', 'batch_script', String(id), '-']
    expect((await runAs(ada, ...print)).trim()).toBe(script.trim())
    // Slurm 22.05 prints nothing, with one exit code or another.
    expect(await runAs(grace, ...print).catch(() => '')).toBe('')
    const readable = [script.replace(secret, ''), ...environments.flat()].join('\n')
    for (const text of [secret, ...Object.keys(ofWorker), ...Object.values(ofWorker)])
      expect(readable).not.toContain(text)
    await client.cancel([id], ada)
  })

  it('each Slurm job belongs to the Unix account of its user and gpuq doctor says whether it can submit', async ({
    openSlurmLab,
  }) => {
    const lab = await openSlurmLab()
    await lab.startWorker('n0', { variables: identity })
    await lab.lab.untilReady(1)
    const root = resolve(import.meta.dirname, '../..')
    const env = {
      ...process.env,
      ...cluster().env,
      ...identity,
      GPUQ_ENGINE: 'slurm',
      GPUQ_SLURM_DIRECTORY: join(lab.lab.directory, 'slurm'),
      DATABASE_URL: lab.lab.database.url,
    }
    const check = async (account: string) => {
      const program = ['--import', 'tsx', join(root, 'deploy/doctor/main.ts'), '--engine', 'slurm', '--json']
      const { stdout } = await promisify(execFile)(process.execPath, [...program, '--unix-user', account], {
        env,
        cwd: root,
      }).catch((error: { stdout: string }) => error)
      const checks: NodeCheck[] = JSON.parse(stdout)
      return checks.find(({ id }) => id === 'slurm_identity')
    }
    expect(await check(ada)).toMatchObject({ status: 'ok' })
    const unknown = await check(mallory)
    expect(unknown).toMatchObject({ status: 'warning' })
    expect(unknown?.found).toMatch(/Invalid account/)
    expect(unknown?.action).toContain(`sacctmgr add user ${mallory}`)
    expect(await check('gpuq-test-nobody')).toMatchObject({ status: 'failure' })
  })
})
