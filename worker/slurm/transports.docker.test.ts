import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { testedValues } from '@/lib/env/testing/test-matrix'
import { hasEnded } from '@/lib/slurm/client/parse-jobs'
import { slurmClient } from '@/lib/slurm/client/slurm'
import {
  type SlurmClient,
  type SlurmJobState,
  SlurmRefusal,
  type SlurmSubmission,
  SlurmUnavailable,
} from '@/lib/slurm/client/slurm-client'
import { until } from '../testing/until'
import { SlurmCluster } from './testing/slurm-cluster'

const nodes = [
  { name: 'n0', gpus: 8, gpuType: 'a100', shards: 0 },
  { name: 'n1', gpus: 8, shards: 0 },
  { name: 'n2', gpus: 8, shards: 32 },
]

let slurm: SlurmCluster
beforeAll(async () => {
  slurm = await SlurmCluster.start({
    nodes,
    lines: [
      'PartitionName=short Nodes=n0,n1 MaxNodes=1 MaxTime=60',
      'PartitionName=closed Nodes=n2 State=DOWN',
    ],
  })
})
afterAll(() => slurm?.stop())
// A failed test leaves jobs, which the next one would wait for.
afterEach(() => slurm.clear())

type Transport = [string, () => Promise<SlurmClient>]

const transports = testedValues<Transport>(
  [['commands', async () => slurmClient({}, { ...process.env, ...slurm.env })]],
  [['slurmrestd', async () => slurmClient(await slurm.startRest(), { ...process.env, ...slurm.env })]],
)

describe.each(transports)('Slurm by %s', (transport, connect) => {
  let client: SlurmClient
  beforeAll(async () => {
    client = await connect()
  })

  const submission = (changes: Partial<SlurmSubmission> = {}): SlurmSubmission => ({
    name: 'gpuq-test',
    comment: `gpuq:${randomUUID()}`,
    script: '#!/bin/sh\nexit 0\n',
    nodes: 1,
    gpus: 0,
    gpuType: null,
    shards: 0,
    cpus: 1,
    memoryMib: 100,
    timeLimitS: 3600,
    graceS: 30,
    nice: 0,
    account: null,
    partition: null,
    qos: null,
    reservation: null,
    dependency: null,
    requeue: false,
    unixUser: null,
    ...changes,
  })
  const find = async (id: number) => (await client.listJobs()).find((job) => job.id === id)
  const reaches = (id: number, reached: (job: SlurmJobState) => boolean): Promise<SlurmJobState> =>
    until(`job ${id} reaches a state`, async () => {
      const job = await find(id)
      return job !== undefined && reached(job) ? job : null
    })
  const ends = (id: number) => reaches(id, ({ state }) => hasEnded(state))
  const runs = (id: number) => reaches(id, ({ state }) => state === 'RUNNING')
  /** A job that stays where it is until it is cancelled. */
  const waits = '#!/bin/sh\nwhile :; do sleep 1; done\n'

  test('names the version of the controller, and whether it keeps records', async () => {
    expect(await client.version()).toMatch(/^\d+\.\d+/)
    expect(await client.hasAccounting()).toBe(false)
    expect(await client.findEnded([1, 2])).toEqual([])
  })

  test('lists nodes with their GPUs by type, and partitions', async () => {
    const id = await client.submit(submission({ script: waits, gpus: 3, gpuType: 'a100', memoryMib: 500 }))
    await runs(id)
    const listed = await until('n0 is in use', async () => {
      const now = await client.listNodes()
      return now[0]?.usedCpus === 1 ? now : null
    })
    expect(listed.map(({ name }) => name)).toEqual(['n0', 'n1', 'n2'])
    expect(listed[0]).toMatchObject({
      states: expect.arrayContaining(['MIXED']),
      reason: null,
      partitions: ['main', 'short'],
      cpus: 16,
      usedCpus: 1,
      memoryMib: 20_000,
      usedMemoryMib: 500,
      gpus: [{ type: 'a100', count: 8, used: 3 }],
    })
    expect(listed[2]?.gpus).toEqual([{ type: null, count: 8, used: 0 }])
    expect(await client.listPartitions()).toEqual([
      { name: 'main', isDefault: true, state: 'UP', nodes: 3, maxNodes: null, maxTimeS: null },
      { name: 'short', isDefault: false, state: 'UP', nodes: 2, maxNodes: 1, maxTimeS: 3600 },
      { name: 'closed', isDefault: false, state: 'DOWN', nodes: 1, maxNodes: null, maxTimeS: null },
    ])
    await client.cancel([id], null)
    expect(await ends(id)).toMatchObject({ state: 'CANCELLED' })
  })

  test('a job gets what it asks for, and is found by its comment', async () => {
    const asked = submission({
      nodes: 2,
      gpus: 2,
      cpus: 3,
      memoryMib: 250,
      nice: 7,
      script: waits,
      name: 'gpuq-two.nodes_1',
    })
    const before = Date.now()
    const id = await client.submit(asked)
    const job = await runs(id)
    expect(job).toMatchObject({
      comment: asked.comment,
      name: asked.name,
      user: 'root',
      partition: 'main',
      gpus: 4,
      cpus: 6,
      nice: 7,
      held: false,
      restarts: 0,
      exitCode: null,
      endedAt: null,
      startsAt: null,
    })
    expect(job.nodes).toHaveLength(2)
    // Slurm's times are whole seconds.
    expect(Math.abs((job.submittedAt?.getTime() ?? 0) - before)).toBeLessThan(60_000)
    expect(job.startedAt).not.toBeNull()
    const details = await slurm.run('scontrol', ['show', 'job', String(id)])
    expect(details).toContain('TimeLimit=01:00:00')
    expect(details).toContain('MinMemoryNode=250M')
    // slurmrestd 22.05 ignores it: the script refuses a second start.
    expect(details).toContain(transport === 'commands' ? 'Requeue=0' : 'Requeue=1')
    await client.cancel([id], null)
    await ends(id)
  })

  test('the batch script knows its GPUs, and its exit code is reported', async () => {
    const whole = '#!/bin/sh\ntest "$SLURM_JOB_GPUS" = 0,1 -a "$SLURM_GPUS_ON_NODE" = 2 || exit 9\nexit 3\n'
    const failed = await ends(await client.submit(submission({ gpus: 2, script: whole })))
    expect(failed).toMatchObject({ state: 'FAILED', exitCode: 3, reason: 'NonZeroExitCode' })
    expect(failed.endedAt).not.toBeNull()
    const shared = '#!/bin/sh\ntest -n "$SLURM_JOB_GPUS" -a "$SLURM_SHARDS_ON_NODE" = 2\n'
    expect(await ends(await client.submit(submission({ shards: 2, script: shared })))).toMatchObject({
      state: 'COMPLETED',
      exitCode: 0,
      nodes: ['n2'],
    })
    const killed = await ends(await client.submit(submission({ script: '#!/bin/sh\nkill -9 $$\n' })))
    expect(killed.exitCode).toBe(128 + 9)
  })

  test('jobs wait, are held, released and moved back', async () => {
    const blocker = await client.submit(submission({ nodes: 3, gpus: 8, script: waits }))
    await runs(blocker)
    const id = await client.submit(submission({ gpus: 1, script: waits }))
    const waiting = await reaches(id, ({ reason }) => reason === 'Resources' || reason === 'Priority')
    expect(waiting).toMatchObject({ state: 'PENDING', held: false, nodes: [], startedAt: null })
    await client.setHeld([id], true, null)
    await reaches(id, ({ held, reason }) => held && /^JobHeld/.test(reason ?? ''))
    await client.setNice(id, 100, null)
    expect(await find(id)).toMatchObject({ nice: 100, held: true })
    await client.setHeld([id], false, null)
    expect(await find(id)).toMatchObject({ nice: 100, held: false })
    await client.setNice(id, 200, null)
    expect(await find(id)).toMatchObject({ nice: 200, held: false })
    await client.setHeld([id], true, null)
    expect(await find(id)).toMatchObject({ nice: 200, held: true })
    await client.setHeld([id], false, null)
    await reaches(id, ({ startsAt }) => startsAt !== null)
    const after = await client.submit(submission({ dependency: `afterok:${id}` }))
    await reaches(after, ({ reason }) => reason === 'Dependency')
    await client.cancel([blocker, id, after], null)
    for (const job of [blocker, id, after]) await ends(job)
  })

  test('a change of a job that has ended or never existed is no error', async () => {
    const id = await client.submit(submission())
    await ends(id)
    const waiting = await client.submit(submission({ partition: 'closed', script: waits }))
    await client.setHeld([id, 999_999, waiting], true, null)
    await reaches(waiting, ({ held }) => held)
    await client.setNice(id, 5, null)
    await client.cancel([id, 999_999, waiting], null)
    await ends(waiting)
  })

  if (transport === 'slurmrestd')
    test('refuses to drain a node, which slurmrestd 22.05 cannot do', async () => {
      await expect(client.setDrained('n1', 'test')).rejects.toThrow('cannot drain or resume nodes')
    })

  if (transport === 'commands')
    test('drains a node with a reason, and resumes it', async () => {
      const reason = 'disk | "full", see: the wiki'
      const states = async () => (await client.listNodes()).find(({ name }) => name === 'n1')
      await client.setDrained('n1', reason)
      expect(await states()).toMatchObject({ states: ['IDLE', 'DRAIN'], reason })
      await client.setDrained('n1', null)
      await client.setDrained('n1', null)
      // It is NOT_RESPONDING until slurmctld has asked its slurmd.
      await until('n1 is idle', async () => (await states())?.states.join() === 'IDLE')
      expect(await states()).toMatchObject({ reason: null })
      await expect(client.setDrained('nowhere', 'test')).rejects.toThrow(SlurmRefusal)
    })

  test('a refusal has the message of Slurm', async () => {
    const refused = async (changes: Partial<SlurmSubmission>) => {
      const error = await client.submit(submission(changes)).catch((problem: unknown) => problem)
      expect(error).toBeInstanceOf(SlurmRefusal)
      return error instanceof Error ? error.message : ''
    }
    expect(await refused({ partition: 'nowhere' })).toMatch(/invalid partition/i)
    expect(await refused({ gpus: 9 })).toMatch(/node configuration is not available/i)
    expect(await refused({ reservation: 'nowhere' })).toMatch(/reservation is invalid/i)
  })

  test('a job belongs to the Unix account that it is submitted for', async () => {
    const unixUser = 'nobody'
    const script = '#!/bin/sh\ntest "$(id -un)" = nobody || exit 1\nwhile :; do sleep 1; done\n'
    const id = await client.submit(submission({ unixUser, script }))
    expect(await runs(id)).toMatchObject({ user: unixUser })
    await client.cancel([id], unixUser)
    expect(await ends(id)).toMatchObject({ state: 'CANCELLED' })
    await expect(client.submit(submission({ unixUser: 'no-such-account' }))).rejects.toThrow(SlurmRefusal)
    const foreign = await client.submit(submission({ script: waits }))
    await expect(client.cancel([foreign], unixUser)).rejects.toThrow(SlurmRefusal)
    await client.cancel([foreign], null)
  })

  test('no name or comment of another job forges a record', async () => {
    const forged = '|x\n7|RUNNING|root|main|n0\n{"job_id": 7}\u001f$(reboot);`id` é'
    const id = Number(
      await slurm.run('sbatch', [
        '--parsable',
        '--hold',
        `--job-name=${forged}`,
        `--comment=${forged}`,
        '--wrap=true',
      ]),
    )
    const jobs = await client.listJobs()
    expect(jobs.filter((job) => job.id === id)).toHaveLength(1)
    expect(jobs.find((job) => job.id === id)).toMatchObject({ name: forged, comment: forged, held: true })
    expect(new Set(jobs.map((job) => job.id)).size).toBe(jobs.length)
    await client.cancel([id], null)
  })

  test('without a controller everything is unavailable, and nothing is refused', async () => {
    await slurm.saved()
    await slurm.endController('SIGTERM')
    const calls = [
      client.submit(submission()),
      client.listJobs(),
      client.listNodes(),
      client.cancel([1], null),
      client.setNice(1, 1, null),
      client.setHeld([1], true, null),
    ]
    const results = await Promise.allSettled(calls)
    await slurm.startController()
    for (const result of results) {
      expect(result.status).toBe('rejected')
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(SlurmUnavailable)
    }
    await slurm.idle()
  })

  if (transport === 'slurmrestd')
    test('a job that must not start again does nothing if Slurm restarts it', async () => {
      const id = await client.submit(submission({ script: waits, requeue: false }))
      await runs(id)
      await slurm.run('scontrol', ['requeue', String(id)])
      expect(await reaches(id, ({ state }) => state === 'FAILED')).toMatchObject({
        exitCode: 75,
        restarts: 1,
      })
    })

  if (transport === 'slurmrestd')
    test('renews a token that slurmrestd refuses', async () => {
      const file = join(slurm.directory, 'asked')
      const settings = await slurm.startRest()
      const command = `if [ -e ${file} ]; then ${settings.GPUQ_SLURM_TOKEN_COMMAND}; else touch ${file}; echo a.refused.token.of.the.test; fi`
      const other = slurmClient(
        { ...settings, GPUQ_SLURM_TOKEN_COMMAND: command },
        { ...process.env, ...slurm.env },
      )
      expect(await other.version()).toMatch(/^22/)
      await rm(file)
      const failing = slurmClient(
        { ...settings, GPUQ_SLURM_TOKEN_COMMAND: 'echo secret; exit 3' },
        process.env,
      )
      await expect(failing.version()).rejects.toThrow(/GPUQ_SLURM_TOKEN_COMMAND failed with code 3/)
      await expect(failing.version()).rejects.not.toThrow(/secret/)
    })
})
