import { database } from '../../database/client'
import { oneRow } from '../../database/transaction'
import type { Expectation, Forecaster } from '../../engine/forecaster'

/** Jobs whose expected start is read at once. */
const maxJobs = 10_000

/**
 * The waiting jobs in the order in which Slurm expects to start them. Slurm predicts only the starts of the jobs that its
 * backfill examined. The others follow by priority, and held jobs are last.
 */
const waitingJobs = `
  jobs j LEFT JOIN slurm_jobs s ON s.job_id = j.id AND s.ended_at IS NULL
 WHERE j.status = 'pending' AND NOT j.held`
const order = 'coalesce(s.held, false), s.starts_at NULLS LAST, j.priority DESC, j.created_at, j.id'

interface WaitingJob {
  id: string
  starts_at: Date | null
}

/**
 * Reads what Slurm expects. While Slurm does not answer, its times are outdated: then jobs have a position only. A start
 * in the past means that Slurm has not examined the job since: it may start now.
 */
export const slurmForecaster: Forecaster = {
  async forecastFirst() {
    const { rows } = await database().pool.query<WaitingJob>({
      name: 'slurm-forecast',
      text: `SELECT j.id, CASE WHEN s.starts_at IS NOT NULL AND NOT s.held AND c.problem IS NULL THEN greatest(s.starts_at, now()) END AS starts_at
               FROM slurm_cluster c, ${waitingJobs} ORDER BY ${order} LIMIT ${maxJobs}`,
    })
    const jobs = rows.map(({ id, starts_at }, i): [string, Expectation] => [
      id,
      { position: i + 1, expectedStart: starts_at, range: null, basis: null },
    ])
    return { jobs: new Map(jobs) }
  },

  /** Only Slurm knows when it would start. */
  async forecastNew({ priority }) {
    const { before } = await oneRow<{ before: number }>(database().pool, {
      name: 'slurm-forecast-new',
      text: `SELECT count(*) FILTER (WHERE NOT coalesce(s.held, false) AND (s.starts_at IS NOT NULL OR j.priority >= $1))::int AS before
               FROM ${waitingJobs}`,
      values: [priority],
    })
    return { position: before + 1, expectedStart: null, range: null, basis: null }
  },

  async listOthers(known) {
    const { rows } = await database().pool.query<{ id: string }>({
      name: 'slurm-forecast-others',
      text: `SELECT j.id FROM ${waitingJobs} AND j.id <> ALL ($1::uuid[]) ORDER BY ${order}`,
      values: [known],
    })
    return rows.map(({ id }) => id)
  },
}
