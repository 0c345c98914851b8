import { inParallel } from '../async/pool'
import { GpuqError } from '../contract/errors'
import { database } from '../database/client'
import { wakeLeader } from '../database/notify'
import { oneRow, transaction } from '../database/transaction'
import { externalEngine } from '../engine/external-engine'
import { cancelLive } from '../jobs/lifecycle/cancel'
import { isBudgetOf } from '../jobs/state/place'
import type { Budget } from './contract'
import { readLiveBudgets } from './read-budgets'

/** The leader looks at the budgets again after this time, and sooner if one will be used up before. */
const intervalMs = 5_000
const stopsAtOnce = 4

/**
 * Stores which budgets are used up, so that no job of them starts, and stops the running jobs of those with `stop`. The leader calls it
 * again and again: each call begins from what is stored, so a leader that dies loses nothing, and a second one repeats nothing.
 * @returns the milliseconds from one call to the next.
 */
export async function enforceBudgets(): Promise<number> {
  const budgets = (await readLiveBudgets()).filter(isOurs)
  if (await storeUsedUp(budgets.filter(({ left_gpu_hours }) => left_gpu_hours <= 0))) wakeLeader()
  await stopJobs()
  return Math.min(intervalMs, ...budgets.map(untilUsedUpMs))
}

/** An external engine decides about users and projects, and knows no tokens and groups. */
function isOurs({ kind }: Budget): boolean {
  return externalEngine() === null || kind === 'token' || kind === 'group'
}

function untilUsedUpMs({ left_gpu_hours, gpus }: Budget): number {
  return left_gpu_hours > 0 && gpus > 0 ? (left_gpu_hours / gpus) * 3_600_000 : Number.POSITIVE_INFINITY
}

/** Returns whether anything has changed. */
async function storeUsedUp(budgets: readonly Budget[]): Promise<boolean> {
  const { changed } = await oneRow<{ changed: boolean }>(database().pool, {
    name: 'store-used-up-budgets',
    text: `WITH given AS (
             SELECT * FROM unnest($1::uuid[], $2::"BudgetPeriod"[], $3::bool[], $4::text[], $5::timestamptz[])
               AS g (owner_id, period, stops, detail, until)
           ), gone AS (
             DELETE FROM used_up_budgets u
              WHERE NOT EXISTS (SELECT 1 FROM given g WHERE g.owner_id = u.owner_id AND g.period = u.period) RETURNING 1
           ), kept AS (
             INSERT INTO used_up_budgets AS u (owner_id, period, stops, detail, until) SELECT * FROM given
                 ON CONFLICT (owner_id, period) DO UPDATE SET stops = excluded.stops, detail = excluded.detail, until = excluded.until
              WHERE (u.stops, u.detail, u.until) IS DISTINCT FROM (excluded.stops, excluded.detail, excluded.until) RETURNING 1
           )
           SELECT EXISTS (SELECT 1 FROM gone) OR EXISTS (SELECT 1 FROM kept) AS changed`,
    values: [
      budgets.map((budget) => budget.owner_id),
      budgets.map(({ period }) => period),
      budgets.map(({ when_used_up }) => when_used_up === 'stop'),
      // Without the name: a read-only link shows it to people who may not know it.
      budgets.map(({ kind, sentence }) => `The budget of the ${kind}: ${sentence}`),
      budgets.map(({ resets_at }) => resets_at),
    ],
  })
  return changed
}

/** Stops the jobs of budgets with `stop` of which nothing is left. Those that wait go on waiting, unless an external engine would start them. */
async function stopJobs(): Promise<void> {
  const statuses = ['scheduled', 'running', ...(externalEngine() === null ? [] : ['pending'])]
  const { rows } = await database().pool.query<{ id: string }>({
    name: 'jobs-of-used-up-budgets',
    text: `SELECT j.id FROM jobs j
            WHERE j.status = ANY ($1::"JobStatus"[]) AND j.cancel_requested_at IS NULL
              AND EXISTS (SELECT 1 FROM used_up_budgets b WHERE b.stops AND ${isBudgetOf('j')})
            ORDER BY j.id`,
    values: [statuses],
  })
  await inParallel(rows, stopsAtOnce, async ({ id }) => {
    await transaction((tx) => cancelLive(tx, id, 'budget_used_up')).catch((error: unknown) => {
      // It ended in the meantime.
      if (!(error instanceof GpuqError && error.code === 'conflict')) throw error
    })
  })
}
