import { allocatedHours } from '../access/projects/gpu-hours'
import { database } from '../database/client'
import type { Budget } from './contract'

/** The column of a job with the owner of its budget. */
export const owners = {
  user: 'user_id',
  project: 'project_id',
  token: 'token_id',
  group: 'group_id',
} as const

/** SQL of the owners `o.owner_id` of the budgets of a job. */
export const ownersOf = (job: string) =>
  `(VALUES ${Object.values(owners)
    .map((column) => `(${job}.${column})`)
    .join(', ')}) o (owner_id)`

/** A budget whose use is read. */
interface Asked extends Pick<Budget, 'kind' | 'owner_id'> {
  /** The beginning of its period, as PostgreSQL writes it. */
  since: string
}

export type Use = Pick<Budget, 'used_gpu_hours' | 'gpus'>

/** The hours of allocations that were released until some time. They never change: jobs are never deleted. */
interface Counted {
  hours: number
  until: Date
}

/** Kept sums, those that were read last. */
const mostKept = 10_000
/** Reading what was released since an older sum may take longer than counting again. */
const keptForMs = 60 * 60_000
/** A transaction that releases GPUs may commit this much later than the time that it writes. */
const latestCommit = `interval '5 minutes'`

const kept = new Map<string, Counted>()

const keyOf = ({ owner_id, since }: Asked) => `${owner_id} ${since}`

/**
 * Reads what is used of budgets, in their order: the only place that adds it up. All attempts count, with the GPUs that they hold or
 * held, from the beginning of the period on. What this process has counted before is kept, so a further call reads only what was
 * released since, however many jobs there are.
 */
export async function readUses(budgets: readonly Asked[]): Promise<Use[]> {
  const known: (Asked & Counted)[] = []
  const unknown: Asked[] = []
  for (const budget of budgets) {
    const counted = kept.get(keyOf(budget))
    if (counted && Date.now() - counted.until.getTime() < keptForMs) known.push({ ...budget, ...counted })
    else unknown.push(budget)
  }
  const [first, again] = await Promise.all([countAll(unknown), countSince(known)])
  const uses = new Map([...first, ...again])
  return budgets.map((budget) => uses.get(keyOf(budget)) ?? { used_gpu_hours: 0, gpus: 0 })
}

interface UseRow extends Use {
  /** The number of its budget in the call, from 1. */
  place: number
  counted: number
  until: Date
}

/** SQL of what the allocations `a` used of the budget `b`. */
const used = allocatedHours('a', 'b.since')
const gpus = '(coalesce(sum(a.milli) FILTER (WHERE a.released_at IS NULL), 0) / 1000.0)::float8'
const until = `date_trunc('milliseconds', now() - ${latestCommit})`
const counted = allocatedHours('a', 'b.since', `a.released_at <= ${until}`)

/** Counts all allocations of the jobs of each budget. */
async function countAll(budgets: readonly Asked[]): Promise<[string, Use][]> {
  if (budgets.length === 0) return []
  const { rows } = await database().pool.query<UseRow>({
    name: 'count-use',
    text: `SELECT b.place::int AS place, use.*
             FROM unnest($1::text[], $2::uuid[], $3::timestamptz[]) WITH ORDINALITY AS b (kind, owner_id, since, place)
             CROSS JOIN LATERAL (
               SELECT ${used} AS used_gpu_hours, ${gpus} AS gpus, ${counted} AS counted, ${until} AS until
                 FROM (${Object.entries(owners)
                   .map(
                     ([kind, column]) =>
                       `SELECT id FROM jobs WHERE b.kind = '${kind}' AND ${column} = b.owner_id`,
                   )
                   .join(' UNION ALL ')}) j
                 JOIN tasks t ON t.job_id = j.id JOIN allocations a ON a.task_id = t.id
                WHERE a.released_at IS NULL OR a.released_at > b.since) use`,
    values: columnsOf(budgets),
  })
  return keep(budgets, rows)
}

/** Counts what is held, and what was released since the kept sums. */
async function countSince(budgets: readonly (Asked & Counted)[]): Promise<[string, Use][]> {
  if (budgets.length === 0) return []
  const times = budgets.map((budget) => budget.until)
  const { rows } = await database().pool.query<UseRow>({
    // Without a name: PostgreSQL plans it for the time, so that it does not read all allocations.
    text: `WITH recent AS MATERIALIZED (
             SELECT o.owner_id, a.milli, a.created_at, a.released_at
               FROM (SELECT * FROM allocations WHERE released_at IS NULL
                     UNION ALL SELECT * FROM allocations WHERE released_at > $6) a
               JOIN tasks t ON t.id = a.task_id JOIN jobs j ON j.id = t.job_id
               CROSS JOIN LATERAL ${ownersOf('j')}
           )
           SELECT b.place::int AS place, b.hours + ${used} AS used_gpu_hours, ${gpus} AS gpus, b.hours + ${counted} AS counted, ${until} AS until
             FROM unnest($1::text[], $2::uuid[], $3::timestamptz[], $4::float8[], $5::timestamptz[])
                    WITH ORDINALITY AS b (kind, owner_id, since, hours, until, place)
             LEFT JOIN recent a ON a.owner_id = b.owner_id AND (a.released_at IS NULL OR a.released_at > b.until)
            GROUP BY b.place, b.hours`,
    values: [
      ...columnsOf(budgets),
      budgets.map(({ hours }) => hours),
      times,
      new Date(Math.min(...times.map(Number))),
    ],
  })
  return keep(budgets, rows)
}

const columnsOf = (budgets: readonly Asked[]) => [
  budgets.map(({ kind }) => kind),
  budgets.map((budget) => budget.owner_id),
  budgets.map(({ since }) => since),
]

/** Keeps the sums for the next call. Returns what is used, by the key of the budget. */
function keep(budgets: readonly Asked[], rows: readonly UseRow[]): [string, Use][] {
  return rows.flatMap(({ place, counted: hours, until: countedUntil, ...use }) => {
    const budget = budgets[place - 1]
    if (budget === undefined) return []
    const key = keyOf(budget)
    // A map keeps the order of insertion: what was read last becomes the last one.
    kept.delete(key)
    kept.set(key, { hours, until: countedUntil })
    for (const oldest of kept.keys()) {
      if (kept.size <= mostKept) break
      kept.delete(oldest)
    }
    return [[key, { used_gpu_hours: use.used_gpu_hours, gpus: use.gpus }] satisfies [string, Use]]
  })
}
