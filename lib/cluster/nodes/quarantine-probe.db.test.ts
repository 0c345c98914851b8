import { beforeEach, describe, expect, it, vi } from 'vitest'
import { makePerson } from '../../access/testing/people'
import { testDatabase } from '../../database/testing/test-database'
import { updateNode } from '../admin/node-actions'
import { updatePolicy } from '../admin/policy'
import { readNode } from '../overview/read-cluster'
import { finishTask } from '../tasks/finish-task'
import { unfinishedTasks } from '../tasks/tasks'
import { placeManually } from '../testing/placed'
import { makeJob, makeNode } from '../testing/rows'
import type { Lease } from './nodes'
import { dueProbe, recordProbe } from './quarantine-probe'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users, audit_events CASCADE')
  await db.pool.query('UPDATE policies SET quarantine_after = 1, probe_quarantined = true')
  await makeJob()
})

/** Ends a job on the node: with a fault of the node, or with exit code 0. */
async function run(lease: Lease, reason: 'internal_error' | 'finished'): Promise<void> {
  const taskId = await placeManually(lease.nodeId, await makeJob())
  const task = (await unfinishedTasks(lease)).find(({ id }) => id === taskId)
  if (!task) throw new Error('The task does not exist.')
  await finishTask(lease, task, { reason, detail: null, exitCode: reason === 'finished' ? 0 : null })
}

/** Lets minutes pass for the node. */
async function pass(minutes: number): Promise<void> {
  await db.pool.query(
    `UPDATE nodes SET quarantined_at = quarantined_at - make_interval(mins => $1),
            probed_at = probed_at - make_interval(mins => $1)`,
    [minutes],
  )
}

/** Returns the probe that must be due. */
async function requireDue(lease: Lease) {
  const probe = await dueProbe(lease)
  if (!probe) throw new Error('No probe is due.')
  return probe
}

describe('the probe of a quarantined node', () => {
  it('is due after a minute, uses the default image, and a free GPU that exists', async () => {
    const lease = await makeNode({ gpus: 2 })
    expect(await dueProbe(lease), 'not quarantined').toBeNull()
    await run(lease, 'internal_error')
    expect(await dueProbe(lease)).toBeNull()
    await pass(1)
    expect(await dueProbe(lease)).toMatchObject({ image: 'gpuq/python:2', gpuUuid: null })
    const { rows } = await db.pool.query<{ uuid: string }>(
      'UPDATE gpus SET simulated = false WHERE index = 1 RETURNING uuid',
    )
    expect((await dueProbe(lease))?.gpuUuid).toBe(rows[0]?.uuid)
    await db.pool.query(`UPDATE gpus SET busy_reason = 'It has a fault.'`)
    expect((await dueProbe(lease))?.gpuUuid).toBeNull()
  })

  it('waits longer after each failure, and shows the last one to admins', async () => {
    const lease = await makeNode()
    const { actor } = await makePerson('admin')
    await run(lease, 'internal_error')
    await pass(1)
    await recordProbe(lease, await requireDue(lease), 'The engine could not start it.')
    await pass(1)
    expect(await dueProbe(lease)).toBeNull()
    const { probe, state } = (await readNode(actor, 0)) ?? {}
    expect(state).toBe('quarantined')
    expect(probe?.last_error).toBe('The engine could not start it.')
    expect(Date.parse(probe?.next_at ?? '') - Date.parse(probe?.last_at ?? '')).toBe(2 * 60_000)
    const researcher = await makePerson('researcher')
    expect((await readNode(researcher.actor, 0))?.probe).toBeNull()
    await pass(1)
    await requireDue(lease)
  })

  it('returns the node to service if it passes, with an audit event', async () => {
    const lease = await makeNode({ name: 'lab-1' })
    const { actor } = await makePerson('admin')
    await run(lease, 'internal_error')
    await pass(1)
    await recordProbe(lease, await requireDue(lease), null)
    expect(await readNode(actor, 0)).toMatchObject({ state: 'ready', reason: null, probe: null })
    const { rows } = await db.pool.query('SELECT actor_id, action, target, detail FROM audit_events')
    expect(rows).toEqual([
      {
        actor_id: null,
        action: 'quarantine_ended',
        target: 'lab-1',
        detail: { node_id: 0, cause: 'probe_passed', probes: 1 },
      },
    ])
  })

  it('keeps the growing wait if jobs fail again although the probe passed, until a job runs', async () => {
    const lease = await makeNode()
    for (const minutes of [1, 2, 4]) {
      await run(lease, 'internal_error')
      await pass(minutes - 1)
      expect(await dueProbe(lease), `${minutes - 1} minutes`).toBeNull()
      await pass(1)
      await recordProbe(lease, await requireDue(lease), null)
    }
    await run(lease, 'finished')
    await run(lease, 'internal_error')
    await pass(1)
    await requireDue(lease)
  })

  it('does not run if the policy disables it, and starts anew after an admin ended the quarantine', async () => {
    const lease = await makeNode()
    const { actor } = await makePerson('admin')
    await run(lease, 'internal_error')
    await pass(10)
    await updatePolicy(actor, { probe_quarantined: false })
    expect(await dueProbe(lease)).toBeNull()
    expect((await readNode(actor, 0))?.probe).toEqual({ next_at: null, last_at: null, last_error: null })
    await updatePolicy(actor, { probe_quarantined: true })
    const probe = await requireDue(lease)
    await updateNode(actor, '0', { quarantined: false })
    await recordProbe(lease, probe, 'It came too late.')
    expect(await readNode(actor, 0)).toMatchObject({ state: 'ready', probe: null })
    await run(lease, 'internal_error')
    await pass(1)
    await requireDue(lease)
  })
})
