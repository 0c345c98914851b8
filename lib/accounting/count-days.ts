import { findRow, type Transaction, transaction } from '../database/transaction'
import { dailyUsage } from './daily-usage'

/** Days of one transaction when old jobs are counted for the first time. */
const daysPerStep = 7

/**
 * Counts the days that are over, so that reading a long range stays fast. Safe to repeat and to interrupt: each step
 * replaces whole days. A task that ended since the last step changes the load of its earlier days, which are counted again.
 */
export async function countDays(): Promise<void> {
  while (await transaction(countStep)) {
    // Until yesterday is counted.
  }
}

/** Returns false if no day was left. */
async function countStep(tx: Transaction): Promise<boolean> {
  await tx.query(
    `INSERT INTO accounting_state (counted_until)
     SELECT (min(created_at) AT TIME ZONE 'UTC')::date FROM jobs HAVING min(created_at) IS NOT NULL ON CONFLICT DO NOTHING`,
  )
  const step = await findRow<{ first: string; until: string }>(
    tx,
    // The row lock excludes a second leader. Days as texts, because a driver's date depends on its time zone.
    `SELECT counted_until::text AS first, least(counted_until + $1::int, (now() AT TIME ZONE 'UTC')::date)::text AS until
       FROM accounting_state WHERE counted_until < (now() AT TIME ZONE 'UTC')::date FOR UPDATE`,
    [daysPerStep],
  )
  if (!step) return false
  const { first, until } = step
  const from = await firstChanged(tx, first, until)
  await tx.query('DELETE FROM accounting_days WHERE day >= $1 AND day < $2', [from, until])
  await tx.query(
    `INSERT INTO accounting_days (day, user_id, project_id, competition_id, completed, failed, cancelled, gpu_seconds,
                                  measured_gpu_seconds, used_gpu_seconds, cpu_seconds, waits)
     ${dailyUsage(midnight('$1'), midnight('$2'))}`,
    [from, until],
  )
  await tx.query('UPDATE accounting_state SET counted_until = $1', [until])
  return true
}

/** The first day of a task that ended on one of these days. */
async function firstChanged(tx: Transaction, first: string, until: string): Promise<string> {
  const row = await findRow<{ day: string }>(
    tx,
    `SELECT least((min(created_at) AT TIME ZONE 'UTC')::date, $1::date)::text AS day FROM allocations
      WHERE released_at >= ${midnight('$1')} AND released_at < ${midnight('$2')}`,
    [first, until],
  )
  return row?.day ?? first
}

/** SQL of the midnight (UTC) at which a day begins. */
export const midnight = (day: string) => `(${day}::date::timestamp AT TIME ZONE 'UTC')`
