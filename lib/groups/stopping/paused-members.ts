import { findRow, type Transaction } from '../../database/transaction'
import { isPaused } from '../../jobs/dependencies/member-counts'
import { finishWaiting } from '../../jobs/state/finish'
import { resumeJobs } from '../../jobs/state/pause'
import { lockQueue } from '../../jobs/submission/queue-capacity'
import type { GroupConfig } from '../group-config'
import { decide, findPromoted, type Rung } from './stop-rules'

/** Each ends with a statement of its own. */
const endedAtOnce = 100

/** A member that its group has paused, with its last rung, which decided. */
interface PausedMember extends Rung {
  index: number
  job_id: string
}

interface Comparison {
  paused: PausedMember[]
  /** All members that have reached one of the rungs of these. */
  reached: (Pick<Rung, 'rung' | 'value' | 'average'> & { index: number })[]
}

/**
 * Lets paused members continue that are among the best by now, as their next attempt. The group is locked, so two leaders never resume
 * one twice.
 * @param places how many members may enter the queue.
 * @returns how many continue.
 * @throws 429 if the queue is full.
 */
export async function resumeMembers(
  tx: Transaction,
  groupId: string,
  { stop, objective }: GroupConfig,
  places: number,
): Promise<number> {
  if (stop === undefined || objective === undefined) return 0
  const { paused, reached } = await readComparison(tx, groupId)
  const promoted = findPromoted(stop, objective.mode, paused, reached).slice(0, places)
  if (promoted.length === 0) return 0
  const { places: inQueue, error } = await lockQueue(tx)
  if (inQueue === 0) throw error
  const resumed = await resumeJobs(
    tx,
    promoted.slice(0, inQueue).map((member) => member.job_id),
  )
  await tx.query('UPDATE group_members SET stop_reason = NULL WHERE job_id = ANY ($1::uuid[])', [resumed])
  await tx.query('UPDATE job_groups SET problem = NULL WHERE id = $1', [groupId])
  return resumed.length
}

/** Whether a paused member is among the best by now, and continues as soon as there is a place for it. */
export async function mayResume(
  tx: Transaction,
  groupId: string,
  { stop, objective }: GroupConfig,
): Promise<boolean> {
  if (stop === undefined || objective === undefined) return false
  const { paused, reached } = await readComparison(tx, groupId)
  return findPromoted(stop, objective.mode, paused, reached).length > 0
}

/**
 * Ends paused members of a group in which no other member can change the comparison. The last comparison is why they end.
 * @returns how many have ended.
 */
export async function endPaused(
  tx: Transaction,
  groupId: string,
  { stop, objective }: GroupConfig,
): Promise<number> {
  if (stop === undefined || objective === undefined || (await isComparing(tx, groupId))) return 0
  const { paused, reached } = await readComparison(tx, groupId)
  const ending = paused.slice(0, endedAtOnce)
  for (const own of ending) {
    const others = reached.filter(({ rung, index }) => rung === own.rung && index !== own.index)
    await tx.query('UPDATE group_members SET stop_reason = coalesce($2, stop_reason) WHERE job_id = $1', [
      own.job_id,
      decide(stop, objective, own, others),
    ])
    await finishWaiting(tx, own.job_id, { reason: 'stopped_early', detail: null, exitCode: null })
  }
  return ending.length
}

async function readComparison(tx: Transaction, groupId: string): Promise<Comparison> {
  const { rows: paused } = await tx.query<PausedMember>(
    `SELECT m.index, m.job_id, r.rung, r.step, r.value, r.best, r.average
       FROM jobs j JOIN group_members m ON m.group_id = j.group_id AND m.job_id = j.id
       JOIN LATERAL (SELECT * FROM group_rungs WHERE group_id = m.group_id AND index = m.index ORDER BY rung DESC LIMIT 1) r ON true
      WHERE j.group_id = $1 AND ${isPaused('j')} ORDER BY m.index`,
    [groupId],
  )
  const { rows: reached } = await tx.query<Comparison['reached'][number]>(
    'SELECT index, rung, value, average FROM group_rungs WHERE group_id = $1 AND rung = ANY ($2::int[])',
    [groupId, [...new Set(paused.map(({ rung }) => rung))]],
  )
  return { paused, reached }
}

/** Whether the leader still reads what members have printed that have just ended. Output that cannot be read delays nothing for long. */
async function isComparing(tx: Transaction, groupId: string): Promise<boolean> {
  const unread = await findRow(
    tx,
    `SELECT 1 FROM group_members m JOIN jobs j ON j.id = m.job_id
      WHERE m.group_id = $1 AND m.state = 'entered' AND NOT m.curve_read AND j.ended_at > now() - interval '1 minute'
        AND EXISTS (SELECT 1 FROM tasks t WHERE t.job_id = j.id AND t.attempt = j.attempt) LIMIT 1`,
    [groupId],
  )
  return unread !== null
}
