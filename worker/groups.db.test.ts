import { createHash, randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { acceptGroup } from '@/lib/groups/accept-group'
import { cancelGroup } from '@/lib/groups/cancel-group'
import { groupConfigSchema } from '@/lib/groups/contract'
import { listMembers, readGroup } from '@/lib/groups/groups'
import type { Script } from './runtime/testing/fake-container'
import { latch } from './runtime/testing/latch'
import { actorOf } from './testing/cancel'
import { FakeLab } from './testing/fake-lab'
import { forever, short } from './testing/scripts'
import { expectAllTrue } from './testing/truth'

/** Submits a group whose members run the script, for the user of a job that has ended. */
async function submit(lab: FakeLab, script: Script, keys: object) {
  const job = await lab.submit(short)
  await lab.jobs.untilFinal(job)
  const actor = await actorOf(lab, job)
  await lab.database.pool.query('UPDATE users SET max_active_jobs = 10')
  const config = groupConfigSchema.parse({
    competition_id: 'c',
    project_id: 'groups',
    expected_time: 10,
    ...keys,
  })
  const code = Buffer.from(lab.codeOf(script))
  const bodyHash = createHash('sha256').update(randomUUID()).digest()
  const { id } = await lab.inDatabase(() =>
    acceptGroup(actor, {
      code,
      runId: null,
      config: { ...config, gpusChosen: false },
      bodyHash,
      idempotencyKey: null,
    }),
  )
  return {
    id,
    read: () => lab.inDatabase(() => readGroup(actor, id)),
    members: async () => (await lab.inDatabase(() => listMembers(actor, id, { limit: 100 }))).items,
    cancel: () => lab.inDatabase(() => cancelGroup(actor, id)),
  }
}

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
