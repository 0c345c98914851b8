import { database } from '../../database/client'
import { wakeLeader } from '../../database/notify'
import { findRow, type Transaction, transaction } from '../../database/transaction'
import { withProgram } from '../../jobs/state/submit'
import { logger } from '../../logger'
import type { PhaseConfig } from '../contract-config'
import { chooseEntries } from './choose-entries'
import { endEntry } from './end-entry'
import { type JobPlace, makeJob, placeColumns } from './make-job'
import { countUnfinishedJobs, unfinishedJobs } from './unfinished-jobs'
import { seedVariable } from './variables'

/** Few, so that other submissions never wait long for the lock on the queue. */
const maxReleased = 10

/**
 * Makes jobs of the entries that wait, as far as the competition permits unfinished ones. The leader calls it after each change of the queue;
 * a second call at the same time changes nothing. Returns whether more can follow at once.
 */
export async function releaseEntries(): Promise<boolean> {
  const { rows } = await database().pool.query<{ id: string }>({
    name: 'competitions-to-release',
    text: `SELECT c.id FROM competitions c
            WHERE EXISTS (SELECT 1 FROM entries e WHERE e.competition_id = c.id AND e.state = 'held' AND e.disqualified_at IS NULL)
              AND c.parallel > ${unfinishedJobs('c.id')}
            ORDER BY c.created_at, c.id`,
  })
  let released = 0
  for (const { id } of rows) {
    try {
      released += await withProgram(() => transaction((tx) => releaseOf(tx, id)))
    } catch (error) {
      logger.error({ err: error, competition: id }, 'could not make jobs of entries; the leader tries again')
    }
  }
  if (released > 0) wakeLeader()
  return released > 0
}

/** Returns how many entries have left their wait. */
async function releaseOf(tx: Transaction, id: string): Promise<number> {
  // Entries that are inserted meanwhile do not wait for this lock.
  const competition = await findRow<JobPlace & { parallel: number }>(tx, {
    name: 'lock-competition-to-release',
    text: `SELECT ${placeColumns}, c.parallel FROM competitions c JOIN projects p ON p.id = c.project_id
            WHERE c.id = $1 FOR NO KEY UPDATE OF c`,
    values: [id],
  })
  if (!competition) return 0
  let released = 0
  for (const entryId of await chooseHeld(tx, id, competition.parallel)) {
    const outcome = await release(tx, competition, entryId)
    // The others would be refused for the same reason.
    if (outcome === 'refused') break
    if (outcome === 'released') released += 1
  }
  return released
}

/** Counts after the lock: another leader may have released entries before. */
async function chooseHeld(tx: Transaction, id: string, parallel: number): Promise<string[]> {
  const { rows: open } = await tx.query<{ teamId: string | null; unfinished: number }>({
    name: 'unfinished-entries',
    text: `SELECT team_id AS "teamId", count(*)::int AS unfinished FROM entries
            WHERE competition_id = $1 AND state IN ('running', 'scoring') GROUP BY team_id`,
    values: [id],
  })
  const places = Math.min(maxReleased, parallel - (await countUnfinishedJobs(tx, id)))
  if (places <= 0) return []
  const { rows } = await tx.query<{ id: string; teamId: string | null; receivedAt: Date; used: number }>({
    name: 'held-entries',
    text: `WITH held AS (
             SELECT id, team_id, received_at, row_number() OVER (PARTITION BY team_id ORDER BY received_at, id) AS place
               FROM entries WHERE competition_id = $1 AND state = 'held' AND disqualified_at IS NULL
           )
           SELECT h.id, h.team_id AS "teamId", h.received_at AS "receivedAt",
                  (SELECT count(*) FROM entries e WHERE e.team_id = h.team_id AND e.state <> 'held'
                      AND e.received_at > now() - interval '1 day')::int AS used
             FROM held h WHERE h.place <= $2 ORDER BY h.received_at, h.id`,
    values: [id, places],
  })
  const teams = [...new Set(rows.map(({ teamId }) => teamId))].map((teamId) => {
    const held = rows.filter((row) => row.teamId === teamId)
    return {
      unfinished: open.find((one) => one.teamId === teamId)?.unfinished ?? 0,
      used: held[0]?.used ?? 0,
      entries: held.map((entry) => ({ id: entry.id, receivedMs: entry.receivedAt.getTime() })),
    }
  })
  return chooseEntries(teams, places)
}

interface HeldEntry {
  code: Buffer
  args: string[]
  mounts: Record<string, string>
  spec: PhaseConfig
  seed: string
}

async function release(
  tx: Transaction,
  place: JobPlace,
  id: string,
): Promise<'released' | 'refused' | 'gone'> {
  // Without waiting: whoever withdraws or disqualifies it locks the competition afterwards.
  const entry = await findRow<HeldEntry>(tx, {
    name: 'lock-held-entry',
    text: `SELECT code, args, mounts, spec, seed FROM entries
            WHERE id = $1 AND state = 'held' AND disqualified_at IS NULL FOR UPDATE SKIP LOCKED`,
    values: [id],
  })
  if (!entry) return 'gone'
  const { code, args, mounts, spec, seed } = entry
  const made = await makeJob(tx, place, {
    code,
    keys: { ...spec.run, name: `entry ${id}`, args },
    env: { [seedVariable]: seed },
    mounts,
  })
  if ('jobId' in made) {
    await tx.query({
      name: 'release-entry',
      text: `UPDATE entries SET state = 'running', job_id = $2, code = '', detail = NULL WHERE id = $1`,
      values: [id, made.jobId],
    })
    return 'released'
  }
  if (made.isPassing) {
    await tx.query('UPDATE entries SET detail = $2 WHERE id = $1 AND detail IS DISTINCT FROM $2', [
      id,
      made.problem,
    ])
    return 'refused'
  }
  await endEntry(tx, id, { state: 'failed', cause: 'system', detail: made.problem })
  return 'released'
}
