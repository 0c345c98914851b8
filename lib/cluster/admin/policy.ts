import type { z } from 'zod'
import { type Actor, requireAdmin } from '../../access/actor'
import { assignments } from '../../access/assignments'
import { recordAudit } from '../../access/audit'
import { type Policy, policySchema, type updatePolicySchema } from '../../contract/cluster'
import { database } from '../../database/client'
import { wakeLeader } from '../../database/notify'
import { type Transaction, transaction } from '../../database/transaction'

/** The policy, and what goes with it in the same row. */
type CurrentPolicy = Policy & {
  /** False: the orchestrator is stopped, nothing new is placed. */
  running: boolean
  /** Thousandths of a GPU that a model stands for whose name is not in the table. */
  defaultRequirementMilli: number
}

const columns = `scheduling AS scheduling_policy, max_concurrent_jobs, enable_auto_retry, max_queue_size, backfill,
  ageing_minutes, half_life_hours, memory_threshold, load_threshold, quarantine_after, running,
  default_requirement_milli AS "defaultRequirementMilli"`

/** How the cluster is scheduled now. */
export async function readPolicy(executor: Transaction = database().pool): Promise<CurrentPolicy> {
  const { rows } = await executor.query<CurrentPolicy>({
    name: 'read-policy',
    text: `SELECT ${columns} FROM policies`,
  })
  return only(rows)
}

/** What of the policy goes over the wire. */
export function toWirePolicy(policy: CurrentPolicy): Policy {
  return policySchema.parse(policy)
}

/** Changes the policy; what is left out stays. The scheduler goes by it from its next pass on. */
export async function updatePolicy(
  actor: Actor,
  changes: z.output<typeof updatePolicySchema>,
): Promise<CurrentPolicy> {
  requireAdmin(actor)
  const { scheduling_policy: scheduling, ...others } = changes
  const set = assignments({ scheduling, ...others }, 1)
  if (set.list.length === 0) return readPolicy()
  const policy = await transaction(async (tx) => {
    const { rows } = await tx.query<CurrentPolicy>(
      `UPDATE policies SET ${set.list.join(', ')}, updated_at = now() RETURNING ${columns}`,
      set.values,
    )
    const detail = { ...changes }
    await recordAudit(tx, { actorId: actor.userId, action: 'policy_updated', target: null, detail })
    return only(rows)
  })
  wakeLeader()
  return policy
}

/**
 * Starts or stops the orchestrator. What runs goes on either way. A state already reached is success. Once a stop is
 * answered nothing starts that was planned before.
 */
export async function setOrchestratorRunning(actor: Actor, running: boolean): Promise<void> {
  requireAdmin(actor)
  await transaction(async (tx) => {
    const { rowCount } = await tx.query(
      'UPDATE policies SET running = $1, updated_at = now() WHERE running <> $1',
      [running],
    )
    // Whoever places has its node locked, and looks after that: those who looked before are waited for.
    if (!running) await tx.query('SELECT 1 FROM nodes ORDER BY id FOR NO KEY UPDATE')
    if (rowCount === 0) return
    const action = running ? 'orchestrator_started' : 'orchestrator_stopped'
    await recordAudit(tx, { actorId: actor.userId, action, target: null })
  })
  wakeLeader()
}

function only<Row>(rows: Row[]): Row {
  const [row] = rows
  if (!row) throw new Error('the policy is gone: its one row is made by the migrations')
  return row
}
