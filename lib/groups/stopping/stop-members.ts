import { database } from '../../database/client'
import { type Transaction, transaction } from '../../database/transaction'
import { requestStop } from '../../jobs/state/cancel'
import { logger } from '../../logger'
import { alignTo } from '../../metrics/align'
import { SeriesCache } from '../../metrics/series-cache'
import type { Group } from '../contract'
import { decide, type Rung, rungsOf, type StopRule } from './stop-rules'

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
  /** The number of rungs that it has reached before. */
  known: number
  /** Why it ends, as it was decided before; null: it goes on. */
  stop_reason: string | null
}

/** The bytes of output that were read of each attempt: nothing new follows without new output. */
const read = new Map<string, number>()
const maxRead = 10_000

/**
 * Reads the objective of members whose group stops some early, and stops or pauses those that the rule ends. The leader calls it again
 * and again. What a member had reached is stored with the decision in one transaction, so a leader that dies repeats and loses none.
 */
export async function stopMembers(): Promise<boolean> {
  const { rows } = await database().pool.query<UnreadMember>({
    name: 'members-to-compare',
    text: `SELECT m.group_id, m.index, m.job_id, j.attempt, j.ended_at IS NOT NULL AS ended, t.output_bytes::float8 AS output_bytes,
                  g.spec->'objective' AS objective, g.spec->'stop' AS stop, m.stop_reason,
                  (SELECT count(*)::int FROM group_rungs r WHERE r.group_id = m.group_id AND r.index = m.index) AS known
             FROM job_groups g JOIN group_members m ON m.group_id = g.id AND m.state = 'entered' AND NOT m.curve_read
             JOIN jobs j ON j.id = m.job_id JOIN tasks t ON t.job_id = j.id AND t.attempt = j.attempt AND t.rank = 0
            WHERE g.ended_at IS NULL AND g.spec ? 'stop' AND g.spec ? 'objective' AND j.status NOT IN ('pending', 'scheduled')
              AND (j.cancel_requested_at IS NULL OR j.ended_at IS NOT NULL)
            ORDER BY m.group_id, m.index`,
  })
  for (const member of rows) {
    await compare(member).catch((error: unknown) =>
      logger.error({ err: error, job: member.job_id }, 'could not compare a member of a group, retrying'),
    )
  }
  return false
}

async function compare(member: UnreadMember): Promise<void> {
  const { job_id: jobId, attempt, output_bytes: bytes, ended, objective, stop, known } = member
  const reason = stop.resume ? 'group_paused' : 'stopped_early'
  // An attempt after the one that was to end ends too.
  if (member.stop_reason !== null && !ended) {
    await transaction((tx) => requestStop(tx, { jobId, attempt }, reason))
    return
  }
  const key = `${jobId}/${attempt}`
  if (read.get(key) === bytes && !ended) return
  const { store, position } = await cache.read({ jobId, attempt, rank: 0, bytes }, budgetMs)
  const axis = ['step', 'epoch'].find((name) => store.columns.has(name)) ?? 'line'
  const { x: steps, y: values } = alignTo(store, objective.metric, axis)
  const rungs = rungsOf({ steps, values }, stop, objective.mode, known)
  const isRead = ended && position >= bytes
  if (rungs.length > 0 || isRead) {
    await transaction(async (tx) => {
      const why = await storeRungs(tx, member, rungs)
      await tx.query(
        'UPDATE group_members SET curve_read = curve_read OR $2, stop_reason = coalesce(stop_reason, $3) WHERE job_id = $1',
        [jobId, isRead, why],
      )
      if (why !== null && !ended) await requestStop(tx, { jobId, attempt }, reason)
    })
  }
  // Not before the commit: if that fails, the next call decides again, although no new output follows.
  if (read.size >= maxRead) read.clear()
  read.set(key, position)
}

/** Stores what a member has reached since the last call. Returns why it ends; null: it goes on. */
async function storeRungs(
  tx: Transaction,
  { group_id: groupId, index, job_id: jobId, objective, stop, ended }: UnreadMember,
  rungs: readonly Rung[],
): Promise<string | null> {
  // Members of a group are compared one after the other.
  await tx.query('SELECT 1 FROM job_groups WHERE id = $1 FOR NO KEY UPDATE', [groupId])
  const { rows } = await tx.query<Pick<Rung, 'rung' | 'value' | 'average'>>(
    'SELECT rung, value, average FROM group_rungs WHERE group_id = $1 AND rung = ANY ($2::int[]) AND index <> $3',
    [groupId, rungs.map(({ rung }) => rung), index],
  )
  const reasons = rungs.map((own) =>
    decide(
      stop,
      objective,
      own,
      rows.filter(({ rung }) => rung === own.rung),
    ),
  )
  const at = reasons.findIndex((why) => why !== null)
  // A paused member reaches the rungs behind the one that paused it only if it continues.
  const reached = stop.resume && !ended && at !== -1 ? rungs.slice(0, at + 1) : rungs
  await tx.query(
    `INSERT INTO group_rungs (group_id, index, rung, step, value, best, average)
     SELECT $1, $2, r.* FROM unnest($3::int[], $4::float8[], $5::float8[], $6::float8[], $7::float8[]) AS r
      WHERE EXISTS (SELECT 1 FROM group_members WHERE job_id = $8) ON CONFLICT DO NOTHING`,
    [
      groupId,
      index,
      ...(['rung', 'step', 'value', 'best', 'average'] as const).map((name) =>
        reached.map((one) => one[name]),
      ),
      // A failed job may have been run again since it was read.
      jobId,
    ],
  )
  return reasons[at] ?? null
}
