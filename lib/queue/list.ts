import type { Actor } from '../access/actor'
import { readPolicy } from '../cluster/admin/policy'
import { expectationOf, forecastQueue, readOtherPositions } from '../cluster/placement/forecast'
import { hasPlace, queueOrder } from '../cluster/placement/queue-order'
import type { Queue } from '../contract/cluster/cluster'
import { parseSpec, type Unparsed } from '../contract/config/stored-spec'
import type { QueueJobDetail, QueueQuery, QueueSubmitted } from '../contract/queue'
import type { JobStatus } from '../contract/status'
import { database } from '../database/client'
import type { QueueForecast } from '../engine/forecaster'
import { env } from '../env'
import { countActiveJobs } from '../jobs/read/active-jobs'
import { findVisibleJob, visibilityFilter } from '../jobs/read/job-visibility'
import {
  type ListedRow,
  type QueueDetailRow,
  queueColumns,
  queueInstances,
  queueSource,
  toQueueJob,
  toQueueJobDetail,
  toQueueStatus,
} from './rows'

const maxListed = 1_000

/** The waiting jobs in the expected order of their start, and the running jobs; at most `limit` of each. */
export async function readQueue(actor: Actor, { limit }: QueueQuery = {}): Promise<Queue> {
  const forecast = await forecastQueue()
  const [waiting, running, { byStatus }, policy] = await Promise.all([
    readWaiting(actor, forecast, Math.min(maxListed, limit ?? maxListed)),
    readRunning(actor, limit ?? null),
    countActiveJobs(),
    readPolicy(),
  ])
  return {
    queued: waiting.map((row) => {
      // A job that is newer than the forecast has its place in the list as position.
      const later = row.has_place
        ? { position: row.place, expectedStart: null, range: null, basis: null }
        : undefined
      return toQueueJob(row, forecast.jobs.get(row.id) ?? later)
    }),
    running: running.map((row) => toQueueJob(row, undefined)),
    queued_total: byStatus.pending,
    running_total: byStatus.scheduled + byStatus.running,
    max_queue_size: policy.max_queue_size,
    engine: env().GPUQ_ENGINE,
  }
}

interface WaitingRow extends ListedRow {
  place: number
  has_place: boolean
}

/** The jobs of the forecast, in its order, then the other waiting jobs, at last those without a place. */
async function readWaiting(actor: Actor, { jobs }: QueueForecast, limit: number): Promise<WaitingRow[]> {
  const rest = jobs.size < limit ? (await readOtherPositions()).keys() : []
  // The two may be of different times, so a job can be in both.
  const first = [...new Set([...jobs.keys(), ...rest])].slice(0, limit)
  const visible = visibilityFilter(actor, 3)
  const { rows } = await database().pool.query<Unparsed<WaitingRow>>({
    name: `queue-waiting-${visible.values.length}`,
    text: `WITH newer AS (
             SELECT w.id, ${hasPlace('w')} AS has_place FROM jobs w CROSS JOIN policies p
              WHERE w.status = 'pending' AND w.id <> ALL ($1::uuid[])
              ORDER BY has_place DESC, ${queueOrder('w', 'p')} LIMIT $2 - cardinality($1::uuid[])
           ), places AS (
             SELECT id, place, true AS has_place FROM unnest($1::uuid[]) WITH ORDINALITY AS known (id, place)
             UNION ALL SELECT id, cardinality($1::uuid[]) + row_number() OVER (), has_place FROM newer
           )
           SELECT ${queueColumns}, ${visible.sql} AS visible, places.place, places.has_place FROM ${queueSource} JOIN places ON places.id = j.id
            WHERE j.status = 'pending' ORDER BY places.place`,
    values: [first, limit, ...visible.values],
  })
  return rows.map(parseSpec)
}

/** @param limit null: no limit */
async function readRunning(actor: Actor, limit: number | null): Promise<ListedRow[]> {
  const visible = visibilityFilter(actor, 2)
  const { rows } = await database().pool.query<Unparsed<ListedRow>>({
    name: `queue-running-${visible.values.length}`,
    text: `WITH first AS (
             SELECT id FROM jobs WHERE status IN ('scheduled', 'running')
              ORDER BY started_at NULLS LAST, created_at, id LIMIT $1
           )
           SELECT ${queueColumns}, ${visible.sql} AS visible FROM ${queueSource} JOIN first ON first.id = j.id
            ORDER BY j.started_at NULLS LAST, j.created_at, j.id`,
    values: [limit, ...visible.values],
  })
  return rows.map(parseSpec)
}

/** One job of the queue, also after its end. A job of another user and an unknown id give the same 404. */
export async function readQueueJob(actor: Actor, jobId: string): Promise<QueueJobDetail> {
  const { id } = await findVisibleJob(actor, jobId)
  const { rows } = await database().pool.query<Unparsed<QueueDetailRow>>({
    name: 'queue-job',
    text: `SELECT ${queueColumns}, ${queueInstances} FROM ${queueSource} WHERE j.id = $1`,
    values: [id],
  })
  const [row] = rows
  if (!row) throw new Error(`job ${id} vanished`)
  return toQueueJobDetail(parseSpec(row), row.status === 'pending' ? await expectationOf(row.id) : undefined)
}

/** The response to a submission: the new job, or the older one that it repeats. */
export async function readSubmitted(jobId: string): Promise<QueueSubmitted> {
  const { rows } = await database().pool.query<{ run_id: string | null; status: JobStatus }>(
    'SELECT run_id, status FROM jobs WHERE id = $1',
    [jobId],
  )
  const [row] = rows
  if (!row) throw new Error(`job ${jobId} vanished`)
  return { job_id: jobId, run_id: row.run_id, status: toQueueStatus(row.status) }
}
