import type { z } from 'zod'
import { type Actor, requireAdmin } from '../../access/actor'
import { assignments } from '../../access/assignments'
import { recordAudit } from '../../access/audit'
import type { Orchestrator } from '../../contract/cluster/cluster'
import { type ShownPolicy, shownPolicySchema, type updatePolicySchema } from '../../contract/cluster/policy'
import { invalidField } from '../../contract/errors'
import { database } from '../../database/client'
import { hasLeader } from '../../database/locks'
import { wakeLeader } from '../../database/notify'
import { type Transaction, transaction } from '../../database/transaction'
import { type ExternalEngine, externalEngine } from '../../engine/external-engine'
import { env } from '../../env'

/** The policy and the other settings in its row. */
type CurrentPolicy = ShownPolicy & {
  /** False: the orchestrator is stopped and nothing new is placed. */
  running: boolean
  /** Thousandths of a GPU for a model whose name is not in the requirements table. */
  defaultRequirementMilli: number
}

const columns = `scheduling AS scheduling_policy, max_concurrent_jobs, enable_auto_retry, max_queue_size, backfill,
  predict_run_times, ageing_minutes, half_life_hours, memory_threshold, load_threshold, quarantine_after, probe_quarantined, idle_gpu_minutes, require_existing_projects, running, set_by_environment,
  default_requirement_milli AS "defaultRequirementMilli"`

export async function readPolicy(executor: Transaction = database().pool): Promise<CurrentPolicy> {
  const { rows } = await executor.query<CurrentPolicy>({
    name: 'read-policy',
    text: `SELECT ${columns} FROM policies`,
  })
  return only(rows)
}

/** Returns the part of the policy that the API exposes. */
export function toApiPolicy(policy: CurrentPolicy): ShownPolicy {
  return shownPolicySchema.parse(policy)
}

/** Changes the given fields of the policy. The scheduler applies them from its next pass on. */
export async function updatePolicy(
  actor: Actor,
  changes: z.output<typeof updatePolicySchema>,
): Promise<CurrentPolicy> {
  requireAdmin(actor)
  const engine = externalEngine()
  if (engine) requireApplying(engine, await readPolicy(), changes)
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

/** @throws 422 for a change that has no effect under an external engine. A field that keeps its value is accepted. */
function requireApplying(
  { policyFields, says }: ExternalEngine,
  policy: CurrentPolicy,
  changes: z.output<typeof updatePolicySchema>,
): void {
  for (const key of Object.keys(changes) as (keyof typeof changes)[]) {
    if (policyFields.includes(key) || changes[key] === undefined || changes[key] === policy[key]) continue
    throw invalidField(key, says.policy)
  }
}

/**
 * Starts or stops the orchestrator. Running jobs continue in both cases. Repeating a call succeeds. After a stop has
 * been answered, no earlier plan can start a job.
 */
export async function setOrchestratorRunning(actor: Actor, running: boolean): Promise<void> {
  requireAdmin(actor)
  await transaction(async (tx) => {
    const { rowCount } = await tx.query(
      'UPDATE policies SET running = $1, updated_at = now() WHERE running <> $1',
      [running],
    )
    // A placement locks its node and then checks `running`. Locking all nodes here waits for the placements that
    // checked before.
    if (!running) await tx.query('SELECT 1 FROM nodes ORDER BY id FOR NO KEY UPDATE')
    if (rowCount === 0) return
    const action = running ? 'orchestrator_started' : 'orchestrator_stopped'
    await recordAudit(tx, { actorId: actor.userId, action, target: null })
  })
  wakeLeader()
}

/** Reads whether the scheduler is running, which leader it has, and the size of the queue. */
export async function readOrchestrator(): Promise<Orchestrator> {
  const { rows } = await database().pool.query<Omit<Orchestrator, 'engine' | 'slurm'>>({
    name: 'read-orchestrator',
    text: `SELECT p.running, 'running' = ANY (p.set_by_environment) AS set_by_environment,
                  p.scheduling AS scheduling_policy, ${hasLeader} AS leader,
                  active.queued, active.running_jobs
             FROM policies p, (
               SELECT coalesce(sum(jobs) FILTER (WHERE status = 'pending'), 0)::int AS queued,
                      coalesce(sum(jobs) FILTER (WHERE status <> 'pending'), 0)::int AS running_jobs
                 FROM active_job_changes) active`,
  })
  return { ...only(rows), engine: env().GPUQ_ENGINE, slurm: (await externalEngine()?.readState()) ?? null }
}

function only<Row>(rows: Row[]): Row {
  const [row] = rows
  if (!row) throw new Error('The table "policies" has no row. The migrations create it; run them again.')
  return row
}
