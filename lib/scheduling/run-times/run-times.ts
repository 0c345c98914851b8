/** A job that ended by itself. Times are in milliseconds. */
export interface EndedRun {
  program: ProgramFacts
  /** The user's estimate. */
  estimateMs: number
  ranMs: number
}

/** What identifies jobs that are likely to take as long as each other. */
export interface ProgramFacts {
  userId: string
  projectId: string
  /** The name of the job; null: it has none. */
  name: string | null
  /** Identifies program, arguments and environment; null: unknown. */
  contentHash: string | null
}

/** What a prediction rests on: earlier jobs of these kinds, or only the user's estimate. */
export type PredictionBasis = 'same_program' | 'same_user' | 'all_jobs' | 'estimate'

export interface Prediction {
  /** Predicted run time in milliseconds. */
  expectedMs: number
  /** The prediction before the job had run; shorter than `expectedMs` if the job has outlived it. */
  firstMs: number
  basis: PredictionBasis
  /** Number of earlier jobs that it rests on. */
  jobs: number
  /** Run times of those jobs relative to their estimates, times this job's estimate; longer than elapsed, sorted. */
  possibleMs: readonly number[]
}

/** The number of latest jobs of a kind that a prediction uses. */
const keptRuns = 30

/**
 * Predicts run times from the ratio of actual to estimated time of earlier jobs (Tsafrir, Etsion and Feitelson,
 * "Backfilling Using System-Generated Predictions Rather than User Runtime Estimates", IEEE TPDS 2007). Uses the jobs
 * with the same content or the same name; if there are too few, those of the same user and project; then all jobs.
 */
export class RunTimes {
  readonly #ratios = new Map<string, Ratios>()

  /** Adds a job that ended after all those added before. */
  add({ program, estimateMs, ranMs }: EndedRun): void {
    if (estimateMs <= 0) return
    for (const { key } of kindsOf(program)) {
      const known = this.#ratios.get(key) ?? new Ratios()
      this.#ratios.set(key, known)
      known.add(ranMs / estimateMs)
    }
  }

  /**
   * Predicts the run time of a job.
   * @param limitMs the time after which it is stopped.
   * @param elapsedMs how long it has run; if that exceeds the prediction, only longer jobs are considered.
   */
  predict(program: ProgramFacts, estimateMs: number, limitMs: number, elapsedMs = 0): Prediction {
    for (const { key, basis, minRuns } of kindsOf(program)) {
      const ratios = this.#ratios.get(key)?.sorted ?? []
      if (ratios.length < minRuns) continue
      const possibleMs = ratios.map((ratio) => Math.min(limitMs, Math.max(1, Math.round(ratio * estimateMs))))
      const ownMs = Math.min(limitMs, estimateMs)
      const expectedMs = expectedOf(possibleMs, elapsedMs) ?? ownMs
      const firstMs = middleOf(possibleMs) ?? ownMs
      const stillPossible = possibleMs.filter((each) => each > elapsedMs)
      return { expectedMs, firstMs, basis, jobs: ratios.length, possibleMs: stillPossible }
    }
    return predictFromEstimate(Math.min(limitMs, estimateMs))
  }
}

/** The prediction if no earlier jobs are considered. */
export function predictFromEstimate(estimateMs: number): Prediction {
  return { expectedMs: estimateMs, firstMs: estimateMs, basis: 'estimate', jobs: 0, possibleMs: [] }
}

/** Returns the median, or that of the longer ones if it has passed; null if all have passed. */
function expectedOf(sortedMs: readonly number[], elapsedMs: number): number | null {
  const median = middleOf(sortedMs)
  if (median !== null && median > elapsedMs) return median
  return middleOf(sortedMs.filter((each) => each > elapsedMs))
}

function middleOf(sorted: readonly number[]): number | null {
  return sorted[sorted.length >> 1] ?? null
}

interface Kind {
  key: string
  basis: Exclude<PredictionBasis, 'estimate'>
  /** A prediction from fewer jobs is not better than the estimate. */
  minRuns: number
}

/** The kinds of jobs to which a program belongs, the most similar first. */
function kindsOf({ userId, projectId, name, contentHash }: ProgramFacts): Kind[] {
  const kinds: Kind[] = []
  const program = { basis: 'same_program', minRuns: 3 } as const
  // Not of other users: the number of jobs would tell whether another member has run the same program.
  if (contentHash !== null) kinds.push({ ...program, key: `content ${projectId} ${userId} ${contentHash}` })
  if (name !== null) kinds.push({ ...program, key: `name ${projectId} ${userId} ${name}` })
  kinds.push({ key: `user ${projectId} ${userId}`, basis: 'same_user', minRuns: 5 })
  kinds.push({ key: 'all', basis: 'all_jobs', minRuns: 10 })
  return kinds
}

/** The latest ratios of one kind of job. */
class Ratios {
  readonly #latest: number[] = []
  #sorted: readonly number[] | null = null

  add(ratio: number): void {
    this.#latest.push(ratio)
    if (this.#latest.length > keptRuns) this.#latest.shift()
    this.#sorted = null
  }

  get sorted(): readonly number[] {
    this.#sorted ??= [...this.#latest].sort((a, b) => a - b)
    return this.#sorted
  }
}
