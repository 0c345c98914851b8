import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Actor } from '@/lib/access/actor'
import { makeJobPlace } from '@/lib/cluster/testing/rows'
import { acceptGroup } from '@/lib/groups/accept-group'
import { cancelGroup } from '@/lib/groups/cancel-group'
import { groupConfigSchema } from '@/lib/groups/contract'
import { listMembers, readGroup } from '@/lib/groups/groups'
import { inSession } from './cancel'
import type { Lab } from './lab'

type GroupLab = Pick<Lab, 'database' | 'inDatabase' | 'directory'>

/** Submits a group whose members run the program, for a new user unless one is given. */
export async function submitGroup(lab: GroupLab, code: string, keys: object, given?: Actor) {
  const actor = given ?? (await makeSubmitter(lab))
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
    actor,
    read: () => lab.inDatabase(() => readGroup(actor, id)),
    members: async () => (await lab.inDatabase(() => listMembers(actor, id, { limit: 100 }))).items,
    cancel: () => lab.inDatabase(() => cancelGroup(actor, id)),
  }
}

async function makeSubmitter({ database: { pool } }: GroupLab): Promise<Actor> {
  const { userId } = await makeJobPlace({}, pool)
  await pool.query('UPDATE users SET max_active_jobs = 10 WHERE id = $1', [userId])
  return inSession({ userId, handle: 'ada' })
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

/**
 * A program of three steps for a group whose rule compares at step 2 and pauses. Except for the member with the learning rate 1, the first
 * attempt goes on there until it is told to stop, and keeps a checkpoint then.
 * @param resumed what the next attempt does first, in Python. `home` is the directory of its checkpoints.
 */
export const pausable = (resumed = 'pass') => `
import json, os, signal, sys, time
home = os.environ["GPUQ_CHECKPOINT_DIR"]
lr = int(os.environ["GPUQ_PARAM_LR"])
step = int(open(home + "/step").read()) if os.path.exists(home + "/step") else 0
def leave(*_):
    open(home + "/step", "w").write(str(step))
    sys.exit(0)
signal.signal(signal.SIGTERM, leave)
print("from", step, flush=True)
if step > 0:
    ${resumed}
for step in range(step + 1, 4):
    print(json.dumps({"step": step, "loss": lr}), flush=True)
    while step == 2 and lr > 1:
        time.sleep(0.05)`

/** The keys of such a group: of its four members, the first and the third complete, and the others end with it. */
export const pausingKeys = {
  matrix: { lr: [1, 3, 2, 9] },
  parallel: 1,
  max_retries: 0,
  objective: { metric: 'loss', mode: 'min' },
  stop: { rule: 'asha', reduction: 2, min_step: 2, resume: true },
}
