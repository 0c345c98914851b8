import { database } from '../../database/client'
import type { ProgramFacts } from '../../scheduling/run-times/run-times'
import type { JobFacts, WaitingJob } from '../../scheduling/types'
import { queueOrder } from './queue-order'

/** A job's facts as they are stored: its spec instead of its request, and the user's estimate. */
export interface JobRow
  extends Omit<JobFacts, 'tokenId' | 'request' | 'expectedMs' | 'submittedAt'>,
    Omit<ProgramFacts, 'userId' | 'projectId'> {
  tokenId: string | null
  spec: unknown
  submittedAt: Date
  estimateMs: number
  limitMs: number
}

/** The SQL columns of {@link JobRow}. */
export const jobColumns = `j.id, j.project_id AS "projectId", j.user_id AS "userId", j.token_id AS "tokenId", j.created_at AS "submittedAt", j.expected_time_s * 1000 AS "estimateMs",
  j.time_limit_s::float8 * 1000 AS "limitMs", j.name, encode(j.content_hash, 'hex') AS "contentHash", j.spec`

export interface WaitingRow extends JobRow, Pick<WaitingJob, 'attempt' | 'priority'> {
  groupId: string | null
  notBefore: Date | null
  reason: string | null
}

/**
 * Maximum jobs that a pass examines for one user, project and wait reason, and in total. The rest wait for a later
 * pass. The limit per reason ensures that jobs that cannot start do not keep other jobs from being examined. Those that
 * wait for the limit of a token are counted by token, because the jobs of another token may start.
 */
const windowPerUser = 250
const window = 5_000

/**
 * Selecting the window may take at most a tenth of the time, and happens again after this many milliseconds in any
 * case.
 */
const selectionCostFactor = 10
const maxAgeMs = 10_000
/** A selection faster than this is repeated for each pass. */
const fastSelectionMs = 100
/**
 * Maximum duration in seconds of a submission's transaction, whose start is the job's creation time. A job from a
 * longer transaction is found by the next selection.
 */
const maxTransactionS = 5
/** Maximum number of jobs added to a kept window. With more, later jobs might precede those in the window. */
const maxAdded = window / 5

interface WindowSelection {
  ids: string[]
  at: number
  /** Database time of the selection. */
  since: Date
  tookMs: number
}

/**
 * The waiting jobs that a pass examines. If more jobs wait, selecting them requires sorting all of them: 1.5 seconds
 * for a hundred thousand. A slow selection is therefore kept for several passes, and each pass adds the jobs
 * submitted since.
 */
export class PendingWindow {
  #selection: WindowSelection | undefined

  constructor(private readonly now: () => number = () => performance.now()) {}

  async read(): Promise<WaitingRow[]> {
    const selection = this.#selection
    if (selection && this.now() - selection.at < validForMs(selection)) {
      const rows = await readSelected(selection)
      // Selects again when most of the jobs have started or many were submitted.
      if (rows.length * 2 > window && rows.length <= window + maxAdded) return rows
    }
    const at = this.now()
    const { rows, since } = await selectWindow()
    const tookMs = this.now() - at
    this.#selection = rows.length < window ? undefined : { ids: rows.map(({ id }) => id), at, since, tookMs }
    return rows
  }
}

function validForMs({ tookMs }: WindowSelection): number {
  return tookMs <= fastSelectionMs ? 0 : Math.min(maxAgeMs, selectionCostFactor * tookMs)
}

const columns = `${jobColumns}, j.group_id AS "groupId", j.attempt, j.priority, j.not_before AS "notBefore",
                  j.reason || coalesce(j.reason_detail, '') AS reason`

async function selectWindow(): Promise<{ rows: WaitingRow[]; since: Date }> {
  const { rows } = await database().pool.query<WaitingRow & { since: Date }>({
    name: 'select-pending-window',
    // Sorts only the ids, because the rows of jobs are wide.
    text: `SELECT ${columns}, now() AS since
             FROM (SELECT id, turn FROM (
                     SELECT w.id, w.created_at, row_number() OVER (PARTITION BY w.project_id, w.user_id, w.reason, CASE WHEN w.reason = 'token_max_gpus' THEN w.token_id END
                                                         ORDER BY ${queueOrder('w', 'p')}) AS turn
                       FROM jobs w CROSS JOIN policies p WHERE w.status = 'pending' AND NOT w.held) AS pending
                    WHERE turn <= $1 ORDER BY turn, created_at, id LIMIT $2) AS chosen JOIN jobs j USING (id)
            ORDER BY turn, j.created_at, j.id`,
    values: [windowPerUser, window],
  })
  return { rows: rows.map(({ since, ...row }) => row), since: rows[0]?.since ?? new Date(0) }
}

async function readSelected({ ids, since }: WindowSelection): Promise<WaitingRow[]> {
  const { rows } = await database().pool.query<WaitingRow>({
    name: 'read-pending-window',
    text: `WITH known AS (
             SELECT id FROM unnest($1::uuid[]) AS id
             UNION SELECT id FROM jobs WHERE created_at > $2::timestamptz - make_interval(secs => $3) AND status = 'pending'
           )
           SELECT ${columns} FROM known JOIN jobs j USING (id) WHERE j.status = 'pending' AND NOT j.held LIMIT $4`,
    values: [ids, since, maxTransactionS, window + maxAdded + 1],
  })
  return rows
}
