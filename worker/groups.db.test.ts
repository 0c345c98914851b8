import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { queueSubmitSchema } from '@/lib/contract/queue'
import { submitToQueue } from '@/lib/queue/submit'
import { Moment } from './faults/moment'
import type { Script } from './runtime/testing/fake-container'
import { latch } from './runtime/testing/latch'
import { cancel } from './testing/cancel'
import { FakeLab } from './testing/fake-lab'
import { checkpointsOf, submitGroup } from './testing/groups'
import { forever, short } from './testing/scripts'
import { expectAllTrue } from './testing/truth'

const submit = (lab: FakeLab, script: Script, keys: object) => submitGroup(lab, lab.codeOf(script), keys)

it('a group on a node with four GPUs: each member runs once, at most as many at once as the group permits, and the group ends', async () => {
  const lab = await FakeLab.open()
  lab.startWorker({ node: 'a', gpus: 4 })
  const two = latch()
  let running = 0
  let most = 0
  const script: Script = async ({ print }) => {
    running += 1
    most = Math.max(most, running)
    if (running === 2) two.open()
    await two.opened
    await print('{"loss": 0.5}\n')
    running -= 1
    return 0
  }
  const group = await submit(lab, script, { matrix: { lr: { from: 1, to: 12 } }, parallel: 2 })
  await lab.jobs.until('the group has ended', async () => (await group.read()).ended_at !== null)
  expect(await group.read()).toMatchObject({ status: 'completed', counts: { completed: 12, held: 0 } })
  expect(most).toBe(2)
  await expectAllTrue(lab)
})

it('a group that others depend on ends while no leader is alive: the next one starts or cancels them, each once', async () => {
  const lab = await FakeLab.open()
  lab.startWorker({ node: 'a', gpus: 4 })
  const [running, go] = [latch(), latch()]
  const script: Script = async ({ env }) => {
    if (env.GPUQ_PARAM_LR === '2') running.open()
    await go.opened
    return env.GPUQ_PARAM_LR === '2' ? 1 : 0
  }
  const first = await submit(lab, script, { matrix: { lr: [1, 2] }, max_retries: 0 })
  const queue = (depends_on: string) =>
    lab.inDatabase(async () => {
      const input = queueSubmitSchema.parse({ command: lab.codeOf(short), depends_on, max_time: 60 })
      return (await submitToQueue(first.actor, input, null)).jobId
    })
  const [any, failed, ok] = [
    await queue(`any:${first.id}`),
    await queue(`failed:${first.id}`),
    await queue(first.id),
  ]
  const keys = { matrix: { lr: [3, 4] }, depends_on: `any:${first.id}` }
  const next = await submitGroup(lab, lab.codeOf(script), keys, first.actor)
  await running.opened
  await lab.leader.kill()
  go.open()
  for (const { job_id } of await first.members()) await lab.jobs.untilFinal(job_id)
  for (const job of [any, failed, ok])
    expect(await lab.jobs.row(job)).toMatchObject({ status: 'pending', reason: 'dependency' })
  lab.startLeader()
  for (const job of [any, failed])
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
  expect(await lab.jobs.untilFinal(ok)).toMatchObject({ status: 'cancelled', reason: 'dependency_failed' })
  await lab.jobs.until('the next group has ended', async () => (await next.read()).ended_at !== null)
  expect(await next.read()).toMatchObject({ status: 'completed', counts: { completed: 2 } })
  await expectAllTrue(lab)
})

it('a cancelled group: its running members are stopped, and no other starts', async () => {
  const lab = await FakeLab.open()
  lab.startWorker({ node: 'a', gpus: 2 })
  const started = latch()
  const script: Script = async ({ print }) => {
    await print('in\n')
    started.open()
    return forever
  }
  const group = await submit(lab, script, { matrix: { lr: { from: 1, to: 12 } }, parallel: 2 })
  await started.opened
  await group.cancel()
  await lab.jobs.until('the group has ended', async () => (await group.read()).ended_at !== null)
  expect(await group.read()).toMatchObject({ status: 'cancelled', counts: { cancelled: 12, completed: 0 } })
  await expectAllTrue(lab)
})

it('a group with asha: members that are worse than others at a step are stopped, and say why', async () => {
  const lab = await FakeLab.open()
  lab.startWorker({ node: 'a', gpus: 4 })
  const script: Script = async ({ print, env }) => {
    const member = Number(env.GPUQ_PARAM_LR)
    for (let step = 1; step <= 3; step++) await print(`{"step": ${step}, "loss": ${member}}\n`)
    // The worst ones would go on for ever.
    return member > 2 ? forever : 0
  }
  const group = await submit(lab, script, {
    matrix: { lr: { from: 1, to: 6 } },
    parallel: 1,
    objective: { metric: 'loss', mode: 'min' },
    stop: { rule: 'asha', reduction: 2, min_step: 2 },
  })
  await lab.jobs.until('the group has ended', async () => (await group.read()).ended_at !== null)
  expect(await group.read()).toMatchObject({
    status: 'completed',
    counts: { completed: 2, cancelled: 4 },
    best: { index: 0, objective: 1 },
  })
  const members = await group.members()
  expect(members.map(({ status }) => status)).toEqual([
    'completed',
    'completed',
    ...Array(4).fill('cancelled'),
  ])
  expect(members[2]?.reason_text).toBe(
    'Stopped at step 2: loss 3 is worse than that of 2 of 3 members. The best 1 of 3 go on.',
  )
  await expectAllTrue(lab)
})

it('a member whose comparison cannot be stored is compared again, although it prints nothing more', async () => {
  const lab = await FakeLab.open()
  const { pool } = lab.database
  // A sequence counts what a transaction did that was rolled back.
  await pool.query(`
    CREATE SEQUENCE failures;
    CREATE FUNCTION refuse_rung() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM nextval('failures'); RAISE EXCEPTION 'the disk is full'; END $$;
    CREATE TRIGGER refuse_rung BEFORE INSERT ON group_rungs FOR EACH ROW WHEN (NEW.value = 2) EXECUTE FUNCTION refuse_rung();`)
  lab.startWorker({ node: 'a', gpus: 1 })
  const script: Script = async ({ print, env }) => {
    for (let step = 1; step <= 2; step++) await print(`{"step": ${step}, "loss": ${env.GPUQ_PARAM_LR}}\n`)
    return env.GPUQ_PARAM_LR === '1' ? 0 : forever
  }
  const group = await submit(lab, script, {
    matrix: { lr: [1, 2] },
    parallel: 1,
    objective: { metric: 'loss', mode: 'min' },
    stop: { rule: 'asha', reduction: 2, min_step: 2 },
  })
  await lab.jobs.until('a comparison was not stored', async () => {
    const { rows } = await pool.query<{ failed: boolean }>('SELECT is_called AS failed FROM failures')
    return rows[0]?.failed === true
  })
  await pool.query('DROP TRIGGER refuse_rung ON group_rungs')
  await lab.jobs.until('the group has ended', async () => (await group.read()).ended_at !== null)
  const [, second] = await group.members()
  expect(await lab.jobs.row(second?.job_id ?? '')).toMatchObject({ reason: 'stopped_early', attempt: 1 })
  await expectAllTrue(lab)
})

describe('a group with asha and resume', () => {
  const keys = {
    parallel: 1,
    max_retries: 0,
    objective: { metric: 'loss', mode: 'min' },
    stop: { rule: 'asha', reduction: 2, min_step: 2, resume: true },
  }

  /** The file in which a member's program keeps its last step. */
  const checkpointOf = async (lab: FakeLab, member: string | undefined) =>
    join(await checkpointsOf(lab, member), 'step')

  /** Prints two steps, keeps a checkpoint, and goes on for ever unless it is the first member. Its next attempt ends. */
  const training =
    (lab: FakeLab): Script =>
    async ({ print, env }) => {
      const file = await checkpointOf(lab, env.GPUQ_PARAM_LR)
      const line = (step: number) => print(`{"step": ${step}, "loss": ${env.GPUQ_PARAM_LR}}\n`)
      const done = Number(await readFile(file, 'utf8').catch(() => '0'))
      for (let step = done + 1; step <= 2; step++) await line(step)
      if (done === 0) await writeFile(file, '2')
      if (done === 0 && env.GPUQ_PARAM_LR !== '1') return forever
      await line(3)
      return 0
    }

  it('a member that loses is paused, continues from its checkpoint when it is among the best, and the others end with their group', async () => {
    const lab = await FakeLab.open()
    lab.startWorker({ node: 'a', gpus: 1 })
    const group = await submit(lab, training(lab), { ...keys, matrix: { lr: [1, 3, 2, 9, 8, 7] } })
    await lab.jobs.until('the group has ended', async () => (await group.read()).ended_at !== null)
    expect(await group.read()).toMatchObject({
      status: 'completed',
      counts: { completed: 3, cancelled: 3, paused: 0, pending: 0 },
    })
    const members = await group.members()
    expect(members.map(({ status }) => status)).toEqual([
      ...Array(3).fill('completed'),
      ...Array(3).fill('cancelled'),
    ])
    expect(members[3]?.reason_text).toBe(
      'Stopped at step 2: loss 9 is worse than that of 5 of 6 members. The best 3 of 6 go on.',
    )
    for (const [index, attempts] of [1, 2, 2, 1, 1, 1].entries()) {
      const job = members[index]?.job_id ?? ''
      expect(await lab.jobs.row(job)).toMatchObject({ attempt: attempts })
      if (attempts === 2) expect(await lab.jobs.lines(job)).toEqual([expect.stringMatching(/"step": 3/)])
    }
    await expectAllTrue(lab)
  })

  it('a member without a checkpoint ends as without resume, and says so', async () => {
    const lab = await FakeLab.open()
    lab.startWorker({ node: 'a', gpus: 1 })
    const script: Script = async ({ print, env }) => {
      for (let step = 1; step <= 2; step++) await print(`{"step": ${step}, "loss": ${env.GPUQ_PARAM_LR}}\n`)
      return env.GPUQ_PARAM_LR === '1' ? 0 : forever
    }
    const group = await submit(lab, script, { ...keys, matrix: { lr: [1, 2] } })
    await lab.jobs.until('the group has ended', async () => (await group.read()).ended_at !== null)
    const [, second] = await group.members()
    expect(second).toMatchObject({
      status: 'cancelled',
      reason_text:
        'Stopped at step 2: loss 2 is worse than that of 1 of 2 members. The best 1 of 2 go on. It had no checkpoint from which it could continue later.',
    })
    await expectAllTrue(lab)
  })

  it('a member whose leader dies between the decision and the end of its container is paused once, and resumed once', async () => {
    const lab = await FakeLab.open()
    const worker = lab.startWorker({ node: 'a', gpus: 1 })
    const group = await submit(lab, training(lab), { ...keys, matrix: { lr: [1, 3, 2, 9, 8, 7] } })
    const decided = async (index: number) => {
      const { rows } = await lab.database.pool.query(
        'SELECT 1 FROM group_members WHERE group_id = $1 AND index = $2 AND stop_reason IS NOT NULL',
        [group.id, index],
      )
      return rows.length > 0
    }
    await lab.jobs.until('the second member is to be paused', () => decided(1))
    await lab.leader.kill()
    await worker.kill()
    lab.startWorker({ node: 'a', gpus: 1 })
    for (let leaders = 0; leaders < 2; leaders++) lab.startLeader()
    await lab.jobs.until('the group has ended', async () => (await group.read()).ended_at !== null)
    expect(await group.read()).toMatchObject({ counts: { completed: 3, cancelled: 3 } })
    for (const [index, attempts] of [1, 2, 2, 1, 1, 1].entries())
      expect(await lab.jobs.row((await group.members())[index]?.job_id ?? '')).toMatchObject({
        attempt: attempts,
      })
    await expectAllTrue(lab)
  })

  /** Breaks what one moment finds in a transaction, as a restart of the database does. */
  async function breakTransactions({ database: { pool }, jobs }: FakeLab): Promise<void> {
    await jobs.until('a transaction was broken', async () => {
      const { rows } = await pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name LIKE 'fake-%' AND xact_start IS NOT NULL`,
      )
      return rows.length > 0
    })
  }

  const moments = 7
  it.each(['leader', 'worker', 'database'] as const)(
    'the %s of a group breaks at seven moments: no comparison is lost, no member starts twice, and the group ends as without that',
    async (victim) => {
      const lab = await FakeLab.open()
      let worker = lab.startWorker({ node: 'a', gpus: 1 })
      let leader = lab.leader
      const starts = new Map<string, number>()
      const script: Script = (program) => {
        const start = `${program.env.GPUQ_PARAM_LR}, attempt ${program.attempt}`
        starts.set(start, (starts.get(start) ?? 0) + 1)
        return training(lab)(program)
      }
      await submit(lab, script, { ...keys, matrix: { lr: [1, 3, 2, 9, 8, 7] } })
      const { pool } = lab.database
      for (let number = 0; number < moments; number++) {
        const moment = new Moment(Number(process.env.GPUQ_TEST_SEED ?? 7), victim, number)
        // The status of a job changes 24 times before the group ends: the moments are spread over all of it.
        const at = 3 * number + moment.between(0, 2)
        await lab.jobs.until(`the statuses have changed ${at} times`, async () => {
          const { rows } = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM status_history')
          return (rows[0]?.n ?? 0) >= at
        })
        await moment.wait(50)
        if (victim === 'database') await breakTransactions(lab)
        if (victim === 'leader') {
          await leader.kill()
          leader = lab.startLeader()
        }
        if (victim === 'worker') {
          await worker.kill()
          worker = lab.startWorker({ node: 'a', gpus: 1 })
        }
      }
      await lab.jobs.until('the group has ended', async () => {
        const { rows } = await pool.query('SELECT 1 FROM job_groups WHERE ended_at IS NOT NULL')
        return rows.length > 0
      })
      const { rows: rungs } = await pool.query('SELECT rung, index, value FROM group_rungs ORDER BY index')
      expect(rungs).toEqual([1, 3, 2, 9, 8, 7].map((value, index) => ({ rung: 0, index, value })))
      const { rows: members } = await pool.query(
        'SELECT j.reason, j.attempt FROM group_members m JOIN jobs j ON j.id = m.job_id ORDER BY m.index',
      )
      expect(members).toEqual([
        { reason: 'finished', attempt: 1 },
        ...Array(2).fill({ reason: 'finished', attempt: 2 }),
        ...Array(3).fill({ reason: 'stopped_early', attempt: 1 }),
      ])
      expect(starts.size).toBe(8)
      expect([...starts].filter(([, count]) => count !== 1)).toEqual([])
      await expectAllTrue(lab)
    },
  )

  it('a person who cancels a member that is being paused cancels it', async () => {
    const lab = await FakeLab.open()
    lab.startWorker({ node: 'a', gpus: 1 })
    const [terminated, cancelled] = [latch(), latch()]
    const script: Script = async ({ print, env, catchTermination }) => {
      const termination = catchTermination()
      if (env.GPUQ_PARAM_LR !== '1') await writeFile(await checkpointOf(lab, env.GPUQ_PARAM_LR), '2')
      for (let step = 1; step <= 2; step++) await print(`{"step": ${step}, "loss": ${env.GPUQ_PARAM_LR}}\n`)
      if (env.GPUQ_PARAM_LR === '1') return 0
      await termination
      terminated.open()
      await cancelled.opened
      return 0
    }
    const group = await submit(lab, script, { ...keys, matrix: { lr: [1, 2] } })
    await terminated.opened
    const [, second] = await group.members()
    expect(second).toMatchObject({ status: 'running' })
    await cancel(lab, second?.job_id ?? '')
    cancelled.open()
    await lab.jobs.until('the group has ended', async () => (await group.read()).ended_at !== null)
    expect(await lab.jobs.row(second?.job_id ?? '')).toMatchObject({
      status: 'cancelled',
      reason: 'cancelled_by_user',
    })
    await expectAllTrue(lab)
  })
})
