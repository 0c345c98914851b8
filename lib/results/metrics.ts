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
 * SQL: the metrics of the job `j`, as those of its last attempt. An attempt of a named run continues the ones before it, so what only
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

/** The last finite number of each metric of a task. */
export class LastMetrics {
  readonly #numbers: Map<string, number>
  #changed = false

  constructor(earlier: Record<string, number> = {}) {
    this.#numbers = new Map(Object.entries(earlier))
  }

  set(name: string, number: number): void {
    const isKnown = this.#numbers.has(name)
    if (!isKnown && (this.#numbers.size >= maxKept || !isMetricName(name))) return
    this.#numbers.set(name, number)
    this.#changed = true
  }

  /** Returns all of them; null if none was set since the last call. */
  take(): Record<string, number> | null {
    if (!this.#changed) return null
    this.#changed = false
    return Object.fromEntries(this.#numbers)
  }
}
