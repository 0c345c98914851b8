import { database } from '../database/client'
import { findRow, type Transaction, transaction } from '../database/transaction'
import { requestStop } from '../jobs/state/cancel'
import { alignTo } from '../metrics/align'
import { SeriesCache } from '../metrics/series-cache'
import type { Group } from './contract'
import { type Curve, decide, type Rung, rungsOf, type StopRule } from './stop-rules'

const cache = new SeriesCache()
/** For one member. A longer output is read on by the next call. */
const budgetMs = 200

interface UnreadMember {
  group_id: string
  index: number
  job_id: string
  attempt: number
  /** The job has ended, so its output is complete. */
  ended: boolean
  output_bytes: number
  objective: NonNullable<Group['objective']>
  stop: StopRule
}

/**
 * Reads the objective of members whose group stops some early, and stops those that the rule ends. The leader calls it again and
 * again. What a member had reached is stored with the decision in one transaction, so a leader that dies repeats and loses none.
 */
export async function stopMembers(): Promise<boolean> {
  const { rows } = await database().pool.query<UnreadMember>({
    name: 'members-to-compare',
    text: `SELECT m.group_id, m.index, m.job_id, j.attempt, j.ended_at IS NOT NULL AS ended, t.output_bytes::float8 AS output_bytes,
                  g.spec->'objective' AS objective, g.spec->'stop' AS stop
             FROM job_groups g JOIN group_members m ON m.group_id = g.id AND m.state = 'entered' AND NOT m.curve_read
             JOIN jobs j ON j.id = m.job_id JOIN tasks t ON t.job_id = j.id AND t.attempt = j.attempt AND t.rank = 0
            WHERE g.ended_at IS NULL AND g.spec ? 'stop' AND g.spec ? 'objective' AND j.status NOT IN ('pending', 'scheduled')
            ORDER BY m.group_id, m.index`,
  })
  for (const member of rows) await compare(member)
  return false
}

async function compare(member: UnreadMember): Promise<void> {
  const { job_id: jobId, attempt, output_bytes: bytes, ended, objective } = member
  const { store, position } = await cache.read({ jobId, attempt, rank: 0, bytes }, budgetMs)
  const axis = ['step', 'epoch'].find((name) => store.columns.has(name)) ?? 'line'
  const { x: steps, y: values } = alignTo(store, objective.metric, axis)
  const isRead = ended && position >= bytes
  await transaction(async (tx) => {
    const curve = { steps, values }
    const why = await storeRungs(tx, member, curve)
    if (isRead) await tx.query('UPDATE group_members SET curve_read = true WHERE job_id = $1', [jobId])
    if (why === null || ended) return
    const stopped = await requestStop(tx, { jobId, attempt }, 'stopped_early')
    if (stopped)
      await tx.query('UPDATE group_members SET stop_reason = coalesce(stop_reason, $2) WHERE job_id = $1', [
        jobId,
        why,
      ])
  })
}

/** Stores what a member has reached since the last call. Returns why it ends; null: it goes on. */
async function storeRungs(
  tx: Transaction,
  { group_id: groupId, index, objective, stop }: UnreadMember,
  curve: Curve,
): Promise<string | null> {
  // Members of a group are compared one after the other.
  const group = await findRow<{ known: number }>(
    tx,
    `SELECT (SELECT count(*)::int FROM group_rungs r WHERE r.group_id = g.id AND r.index = $2) AS known
       FROM job_groups g WHERE g.id = $1 FOR NO KEY UPDATE OF g`,
    [groupId, index],
  )
  let why: string | null = null
  for (const rung of rungsOf(curve, stop, objective.mode, group?.known ?? 0)) {
    const { rows } = await tx.query<Pick<Rung, 'value' | 'average'>>(
      'SELECT value, average FROM group_rungs WHERE group_id = $1 AND rung = $2 AND index <> $3',
      [groupId, rung.rung, index],
    )
    await tx.query(
      `INSERT INTO group_rungs (group_id, index, rung, step, value, best, average) VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT DO NOTHING`,
      [groupId, index, rung.rung, rung.step, rung.value, rung.best, rung.average],
    )
    why ??= decide(stop, objective, rung, rows)
  }
  return why
}
