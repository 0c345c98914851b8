import { database } from '../../database/client'
import { type ProgramFacts, RunTimes } from '../../scheduling/run-times/run-times'

/** Number of latest completed jobs that are read of each user with a waiting or running job, and of everybody. */
const runsPerUser = 100
const runsOfAll = 500
const validMs = 15_000

interface RunRow extends ProgramFacts {
  estimateMs: number
  ranMs: number
}

interface Cached {
  at: number
  runTimes: Promise<RunTimes>
}

let cached: Cached | undefined

/**
 * Returns the run times of the latest completed jobs, from which those of waiting and running jobs are predicted. Jobs
 * that failed or were stopped say little about how long a job runs, so they do not count. After 15 seconds the jobs
 * are read again; until then, the earlier answer is returned.
 */
export function readRunTimes(): Promise<RunTimes> {
  if (cached && performance.now() - cached.at <= validMs) return cached.runTimes
  const runTimes = queryRunTimes()
  const earlier = cached
  cached = { at: performance.now(), runTimes: earlier?.runTimes ?? runTimes }
  runTimes.then(
    () => {
      cached = { at: performance.now(), runTimes }
    },
    () => {
      cached = earlier
    },
  )
  return cached.runTimes
}

const columns = `j.id, j.user_id AS "userId", j.project_id AS "projectId", j.name, j.content_hash,
  j.expected_time_s * 1000 AS "estimateMs", j.started_at, j.ended_at`

/** As {@link readRunTimes}, without the cache. */
export async function queryRunTimes(): Promise<RunTimes> {
  const { rows } = await database().pool.query<RunRow>({
    name: 'run-times',
    // UNION removes the jobs that both parts find.
    text: `SELECT "userId", "projectId", name, encode(content_hash, 'hex') AS "contentHash", "estimateMs",
                  greatest(0, extract(epoch FROM ended_at - started_at) * 1000)::float8 AS "ranMs"
             FROM ((SELECT ${columns} FROM jobs j WHERE status = 'completed' ORDER BY ended_at DESC LIMIT $1)
                   UNION SELECT own.* FROM (
                     SELECT DISTINCT user_id FROM jobs WHERE status IN ('pending', 'scheduled', 'running')) live
                     CROSS JOIN LATERAL (
                       SELECT ${columns} FROM jobs j WHERE j.user_id = live.user_id AND status = 'completed'
                        ORDER BY ended_at DESC LIMIT $2) own) latest
            WHERE started_at IS NOT NULL ORDER BY ended_at, id`,
    values: [runsOfAll, runsPerUser],
  })
  const runTimes = new RunTimes()
  for (const { estimateMs, ranMs, ...program } of rows) runTimes.add({ program, estimateMs, ranMs })
  return runTimes
}
