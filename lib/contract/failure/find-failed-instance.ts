import type { JobDetail } from '../jobs'

type Instance = JobDetail['resources']['got'][number]

/**
 * Finds the instance of a job whose program failed first, by the database's clock. The others often fail because it
 * is gone. Null: the job has one instance, or no program failed.
 */
export function findFailedInstance({ got }: JobDetail['resources']): Instance | null {
  if (got.length < 2) return null
  const failed = got.filter(({ reason, ended_at }) => reason === 'exit_code' && ended_at !== null)
  const [first] = failed.toSorted((a, b) => endOf(a) - endOf(b) || a.rank - b.rank)
  return first ?? null
}

const endOf = ({ ended_at }: Instance) => Date.parse(ended_at ?? '')
