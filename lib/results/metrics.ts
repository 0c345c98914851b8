import { numberOf } from '../contract/output/printed-json'
import { parseJson } from '../contract/parse-json'
import { quoteNotFinite } from './json-text'

/**
 * The metrics of a job: the numbers in the lines of JSON that it prints to stdout, by name. A number in a nested object
 * has a name such as `train.loss`.
 */

/** A job keeps the last number of this many metrics: those that it printed first. */
const maxKept = 64
const maxNameCharacters = 128
/** PostgreSQL does not store NUL and half characters in JSON, and a name must be readable in a table. */
const unprintable = /[\p{Cc}\p{Surrogate}\p{Bidi_Control}]/u

/** How programs write numbers that JSON does not have, inside quotes. */
const notFinite = new Set(['NaN', 'nan', 'Infinity', '-Infinity', 'inf', '-inf'])

/**
 * SQL: the {@link StoredMetrics} of the job `j`, as those of its last attempt. An attempt of a named run continues the ones before it, so what only
 * these printed is kept. With several ranks, an attempt has the metrics of the first that printed any.
 */
export const metricsOfJob = `
  SELECT jsonb_object_agg(one.key, one.value ORDER BY a.attempt)
    FROM (SELECT DISTINCT ON (m.attempt) m.attempt, m.metrics FROM tasks m
           WHERE m.job_id = j.id AND m.attempt >= CASE WHEN j.named_run_id IS NULL THEN j.attempt ELSE 0 END AND m.metrics <> '{}'
           ORDER BY m.attempt, m.rank) a CROSS JOIN LATERAL jsonb_each(a.metrics) one`

/**
 * Calls `visit` with each number in a value of JSON; NaN stands for a number that is not finite. `source` has its digits, as they were
 * printed if the value is from {@link readPrintedJson}.
 */
export function visitNumbers(
  value: unknown,
  visit: (name: string, number: number, source: string) => void,
  prefix = '',
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  for (const [key, item] of Object.entries(value)) {
    const name = prefix + key
    const number = numberOf(item)
    if (number !== null) visit(name, Number.isFinite(number) ? number : Number.NaN, String(item))
    else if (typeof item === 'string' && notFinite.has(item)) visit(name, Number.NaN, item)
    else if (typeof item === 'object' && name.length < maxNameCharacters)
      visitNumbers(item, visit, `${name}.`)
  }
}

/** Whether a name can be shown and stored. */
export function isMetricName(name: string): boolean {
  return name !== '' && name.length <= maxNameCharacters && !unprintable.test(name)
}

/** Parses a line with NaN or Infinity, which Python writes and JSON does not have; undefined: it is not such a line. */
export function parseNotFinite(line: string): unknown {
  const json = quoteNotFinite(line)
  return json === null ? undefined : parseJson(json)
}

/** The last number of each metric, by name; null: it was not finite, which JSON cannot say otherwise. */
export type StoredMetrics = Record<string, number | null>

/** Divides the metrics of a job into numbers, and the names of those whose last value was not finite. */
export function divideMetrics(stored: Readonly<StoredMetrics>): {
  metrics: Record<string, number>
  not_finite: string[]
} {
  const metrics: [string, number][] = []
  const notFinite: string[] = []
  for (const [name, number] of Object.entries(stored)) {
    if (number === null) notFinite.push(name)
    else metrics.push([name, number])
  }
  return { metrics: Object.fromEntries(metrics), not_finite: notFinite }
}

/** The last number of each metric of a task. */
export class LastMetrics {
  readonly #numbers: Map<string, number | null>
  #changed = false

  constructor(earlier: StoredMetrics = {}) {
    this.#numbers = new Map(Object.entries(earlier))
  }

  /** @param number NaN stands for one that is not finite */
  set(name: string, number: number): void {
    const isKnown = this.#numbers.has(name)
    if (!isKnown && (this.#numbers.size >= maxKept || !isMetricName(name))) return
    this.#numbers.set(name, Number.isNaN(number) ? null : number)
    this.#changed = true
  }

  /** Returns all of them; null if none was set since the last call. */
  take(): StoredMetrics | null {
    if (!this.#changed) return null
    this.#changed = false
    return Object.fromEntries(this.#numbers)
  }
}
