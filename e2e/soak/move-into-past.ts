import { sleep } from '@/lib/async/sleep'
import type { Ledger } from './ledger'
import type { Scenario } from './scenarios'
import type { SoakSystem } from './soak-system'

const everyMs = 30_000
const keptMs = 4 * 60_000
const days = 3

/** The retention would delete the checkpoints of a run between two of its jobs. */
const belongsToRun = ({ config }: Scenario) => config.run_name !== undefined

/**
 * Moves old, verified jobs into the past until the signal, so that the retention of their project deletes their files.
 * The shortest retention is a day, which is too long for a run.
 */
export async function moveIntoPast({ pool }: SoakSystem, ledger: Ledger, signal: AbortSignal): Promise<void> {
  const moved = new Set<string>()
  while (!signal.aborted) {
    await sleep(everyMs, signal)
    const old = [...ledger.jobs.values()].filter(
      ({ id, verified, acceptedAt, scenario }) =>
        verified && !moved.has(id) && acceptedAt < Date.now() - keptMs && !belongsToRun(scenario),
    )
    const ids = old.map(({ id }) => id)
    // A fault of PostgreSQL; the next round tries again.
    await pool
      .query(
        `UPDATE jobs SET created_at = created_at - make_interval(days => $2),
                started_at = started_at - make_interval(days => $2), ended_at = ended_at - make_interval(days => $2)
          WHERE id = ANY($1::uuid[]) AND ended_at IS NOT NULL`,
        [ids, days],
      )
      .then(
        () => ids.forEach((id) => void moved.add(id)),
        () => {},
      )
  }
}
