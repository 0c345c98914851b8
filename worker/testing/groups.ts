import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { makeJobPlace } from '@/lib/cluster/testing/rows'
import { acceptGroup } from '@/lib/groups/accept-group'
import { cancelGroup } from '@/lib/groups/cancel-group'
import { groupConfigSchema } from '@/lib/groups/contract'
import { listMembers, readGroup } from '@/lib/groups/groups'
import { inSession } from './cancel'
import type { Lab } from './lab'

type GroupLab = Pick<Lab, 'database' | 'inDatabase' | 'directory'>

/** Submits a group whose members run the program, for a new user. */
export async function submitGroup(lab: GroupLab, code: string, keys: object) {
  const { pool } = lab.database
  const { userId } = await makeJobPlace({}, pool)
  await pool.query('UPDATE users SET max_active_jobs = 10 WHERE id = $1', [userId])
  const actor = inSession({ userId, handle: 'ada' })
  const config = groupConfigSchema.parse({
    competition_id: 'c',
    project_id: 'project',
    expected_time: 10,
    ...keys,
  })
  const { id } = await lab.inDatabase(() =>
    acceptGroup(actor, {
      code: Buffer.from(code),
      runId: null,
      config: { ...config, gpusChosen: false },
      bodyHash: createHash('sha256').update(randomUUID()).digest(),
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

/** The directory on node "a" with the checkpoints of the member that has the learning rate. */
export async function checkpointsOf(lab: GroupLab, lr: string | undefined): Promise<string> {
  const { rows } = await lab.database.pool.query<{ project: string; directory: string }>(
    `SELECT r.project_id AS project, r.directory FROM runs r JOIN jobs j ON j.named_run_id = r.id
       JOIN group_members m ON m.job_id = j.id WHERE m.parameters->>'lr' = $1`,
    [lr],
  )
  const [run] = rows
  return join(lab.directory, 'a', 'checkpoints', run?.project ?? '', run?.directory ?? '')
}
