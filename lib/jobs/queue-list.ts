import { type Actor, isAdmin } from '../access/actor'
import { forecastQueue, type QueueForecast } from '../cluster/forecast'
import { readPolicy } from '../cluster/policy'
import type { QueueJobDetail, QueueSubmitted } from '../cluster/queue-schemas'
import type { Queue } from '../cluster/schemas'
import { turnOrder } from '../cluster/turn-order'
import { database } from '../database/client'
import {
  type QueueRow,
  queueColumns,
  queueSource,
  toQueueJob,
  toQueueJobDetail,
  toQueueStatus,
} from './queue-rows'
import type { JobStatus } from './status'
import { findVisibleJob } from './visible'

const mostListed = 1_000

/** All that waits, in the order it should start, and all that runs. */
export async function readQueue(actor: Actor): Promise<Queue> {
  const forecast = await forecastQueue()
  const [waiting, running, counted, policy] = await Promise.all([
    readWaiting(forecast),
    readRunning(),
    database().pool.query<{ count: number }>("SELECT count(*) FROM jobs WHERE status = 'pending'"),
    readPolicy(),
  ])
  const toJob = (row: QueueRow) => toQueueJob(row, forecast, isAdmin(actor) || row.user_id === actor.userId)
  return {
    queued: waiting.map(toJob),
    running: running.map(toJob),
    queued_total: counted.rows[0]?.count ?? waiting.length,
    max_queue_size: policy.max_queue_size,
  }
}

/**
 * Those that the forecast knows, in its order (that of their positions), then what has come since, as far as there is room: with a hundred
 * thousand waiting, sorting all of them takes most of a second.
 */
async function readWaiting({ jobs }: QueueForecast): Promise<QueueRow[]> {
  const first = [...jobs.keys()].slice(0, mostListed)
  const { rows } = await database().pool.query<QueueRow>({
    name: 'queue-waiting',
    text: `WITH newer AS (
             SELECT w.id, $2 + row_number() OVER (ORDER BY ${turnOrder('w', 'p')}) AS place
               FROM jobs w CROSS JOIN policies p WHERE w.status = 'pending' AND w.id <> ALL ($1::uuid[])
              LIMIT $2 - cardinality($1::uuid[])
           ), places AS (
             SELECT id, place FROM unnest($1::uuid[]) WITH ORDINALITY AS known (id, place)
             UNION ALL SELECT id, place FROM newer
           )
           SELECT ${queueColumns} FROM ${queueSource} JOIN places ON places.id = j.id
            WHERE j.status = 'pending' ORDER BY places.place`,
    values: [first, mostListed],
  })
  return rows
}

async function readRunning(): Promise<QueueRow[]> {
  const { rows } = await database().pool.query<QueueRow>({
    name: 'queue-running',
    text: `SELECT ${queueColumns} FROM ${queueSource}
            WHERE j.status IN ('scheduled', 'running') ORDER BY j.started_at NULLS LAST, j.created_at, j.id`,
  })
  return rows
}

/** One job of the queue, also once it has ended. Another's and one that never was are the same 404. */
export async function readQueueJob(actor: Actor, jobId: string): Promise<QueueJobDetail> {
  const { id } = await findVisibleJob(actor, jobId)
  const { rows } = await database().pool.query<QueueRow>({
    name: 'queue-job',
    text: `SELECT ${queueColumns} FROM ${queueSource} WHERE j.id = $1`,
    values: [id],
  })
  const [row] = rows
  if (!row) throw new Error(`job ${id} vanished`)
  return toQueueJobDetail(row, row.status === 'pending' ? await forecastQueue() : null)
}

/** A job just submitted, or the older one that its idempotency key names. */
export async function readSubmitted(jobId: string): Promise<QueueSubmitted> {
  const { rows } = await database().pool.query<{ run_id: string | null; status: JobStatus }>(
    'SELECT run_id, status FROM jobs WHERE id = $1',
    [jobId],
  )
  const [row] = rows
  if (!row) throw new Error(`job ${jobId} vanished`)
  return { job_id: jobId, run_id: row.run_id, status: toQueueStatus(row.status) }
}
