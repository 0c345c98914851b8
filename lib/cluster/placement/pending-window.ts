import { database } from '../../database/client'
import { queueOrder } from './queue-order'

export interface WaitingRow {
  id: string
  project_id: string
  user_id: string
  expected_time_s: number
  spec: unknown
  attempt: number
  priority: number
  submitted_at: Date
  not_before: Date | null
  reason: string | null
}

/**
 * How many waiting jobs of one user in one project a pass looks at, of those that wait for the same reason, and how many
 * in all. Others wait for a later pass: so what can never start, or may not yet, keeps nothing else from being looked at.
 */
const windowPerUser = 250
const window = 5_000

/** Choosing the window anew may take a tenth of the time at most, and comes after so long in any case. */
const worthTimes = 10
const longestMs = 10_000
/** What takes no longer than this is done for each pass. */
const shortMs = 100
/** What a submission's transaction may take, whose beginning is the job's time. One that takes longer is in the next choice. */
const unseenForS = 5
/** So many come beside those that were chosen; where there are more, others may be due before them. */
const mostAdded = window / 5

interface Chosen {
  ids: string[]
  at: number
  /** By the database's clock. */
  since: Date
  tookMs: number
}

/**
 * The waiting jobs that a pass looks at. Where more wait than that, choosing them means sorting all of them: of a hundred
 * thousand, 1.5 seconds. So a choice that took long is kept for some passes, each of which adds what has come since.
 */
export class PendingWindow {
  #chosen: Chosen | undefined

  constructor(private readonly now: () => number = () => performance.now()) {}

  async read(): Promise<WaitingRow[]> {
    const chosen = this.#chosen
    if (chosen && this.now() - chosen.at < keptFor(chosen)) {
      const rows = await readChosen(chosen)
      // Where most of them have started, or many have come, others are due.
      if (rows.length * 2 > window && rows.length <= window + mostAdded) return rows
    }
    const at = this.now()
    const { rows, since } = await chooseWindow()
    const tookMs = this.now() - at
    this.#chosen = rows.length < window ? undefined : { ids: rows.map(({ id }) => id), at, since, tookMs }
    return rows
  }
}

function keptFor({ tookMs }: Chosen): number {
  return tookMs <= shortMs ? 0 : Math.min(longestMs, worthTimes * tookMs)
}

const columns = `j.id, j.project_id, j.user_id, j.expected_time_s, j.spec, j.attempt, j.priority, j.created_at AS submitted_at,
                  j.not_before, j.reason || coalesce(j.reason_detail, '') AS reason`

async function chooseWindow(): Promise<{ rows: WaitingRow[]; since: Date }> {
  const { rows } = await database().pool.query<WaitingRow & { since: Date }>({
    name: 'choose-waiting',
    // Only ids are sorted: the jobs' rows are wide.
    text: `SELECT ${columns}, now() AS since
             FROM (SELECT id, turn FROM (
                     SELECT w.id, w.created_at, row_number() OVER (PARTITION BY w.project_id, w.user_id, w.reason ORDER BY ${queueOrder('w', 'p')}) AS turn
                       FROM jobs w CROSS JOIN policies p WHERE w.status = 'pending') AS pending
                    WHERE turn <= $1 ORDER BY turn, created_at, id LIMIT $2) AS chosen JOIN jobs j USING (id)
            ORDER BY turn, j.created_at, j.id`,
    values: [windowPerUser, window],
  })
  return { rows, since: rows[0]?.since ?? new Date(0) }
}

async function readChosen({ ids, since }: Chosen): Promise<WaitingRow[]> {
  const { rows } = await database().pool.query<WaitingRow>({
    name: 'read-chosen-waiting',
    text: `WITH known AS (
             SELECT id FROM unnest($1::uuid[]) AS id
             UNION SELECT id FROM jobs WHERE created_at > $2::timestamptz - make_interval(secs => $3) AND status = 'pending'
           )
           SELECT ${columns} FROM known JOIN jobs j USING (id) WHERE j.status = 'pending' LIMIT $4`,
    values: [ids, since, unseenForS, window + mostAdded + 1],
  })
  return rows
}
