import { setImmediate } from 'node:timers/promises'
import { ConcurrencyLimit } from '../async/concurrency-limit'
import { sleep } from '../async/sleep'
import { unavailable } from '../contract/errors'
import { ownReader } from '../results/reading/output-reader'
import { readOutput } from '../results/reading/read-output'
import { MetricLines } from './metric-lines'
import { maxValues, SeriesStore } from './series-store'

/** The most values of all jobs in memory, about 100 MB. */
const maxCachedValues = 2 * maxValues

/** A reading continues for this long after the last request for it. */
const wantedMs = 5_000
/** Each reading uses a processor, so a few at a time are as fast as many. */
const readings = new ConcurrencyLimit(2, 200)

/** One task of one attempt. */
export interface TaskOutput {
  jobId: string
  attempt: number
  rank: number
  /** Bytes of its stored output. */
  bytes: number
}

/** The series of a task, read to a position of its output. */
interface Entry {
  store: SeriesStore
  lines: MetricLines
  position: number
  /** The reading in progress, for all who wait for it. */
  reading: Promise<void> | null
  /** When it was asked for last. */
  wantedAt: number
}

/**
 * The series of the tasks that were asked for last. A later request reads only what was printed since, so the page of a
 * running job costs little.
 */
export class SeriesCache {
  readonly #entries = new Map<string, Entry>()

  constructor(private readonly limit = maxCachedValues) {}

  /**
   * Reads the output, and returns what is known after at most `budgetMs`. Long output takes several calls, so no request
   * takes long.
   * @throws 503 if too many wait.
   */
  async read(task: TaskOutput, budgetMs: number): Promise<{ store: SeriesStore; position: number }> {
    const entry = this.#entryOf(task)
    entry.wantedAt = performance.now()
    if (entry.position < task.bytes) {
      entry.reading ??= this.#start(entry, task)
      const waited = new AbortController()
      await Promise.race([entry.reading, sleep(budgetMs, waited.signal)]).finally(() => waited.abort())
    }
    return entry
  }

  #start(entry: Entry, task: TaskOutput): Promise<void> {
    const reading = readings
      .run(() => advance(entry, task))
      .then(({ ok }) => {
        if (!ok)
          throw unavailable('The server reads the metrics of many jobs at the moment. Try again soon.', 5)
      })
      .finally(() => {
        entry.reading = null
        this.#evict(entry)
      })
    // The request that started it may have its answer before.
    reading.catch(() => undefined)
    return reading
  }

  #entryOf({ jobId, attempt, rank }: TaskOutput): Entry {
    const key = `${jobId}/${attempt}/${rank}`
    const entry = this.#entries.get(key) ?? newEntry()
    // A map keeps the order of insertion: the entry that was used last becomes the last one.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry
  }

  /** Forgets the entries that were not used for the longest time. */
  #evict(current: Entry): void {
    let size = 0
    for (const { store } of this.#entries.values()) size += store.size
    for (const [key, entry] of this.#entries) {
      if (size <= this.limit) return
      if (entry === current || entry.reading) continue
      this.#entries.delete(key)
      size -= entry.store.size
    }
  }
}

function newEntry(): Entry {
  const store = new SeriesStore()
  const lines = new MetricLines((value, time) => store.add(value, time))
  return { store, lines, position: 0, reading: null, wantedAt: 0 }
}

async function advance(entry: Entry, { jobId, attempt, rank }: TaskOutput): Promise<void> {
  // Several users may wait for the same series.
  const reader = ownReader('series')
  for await (const piece of readOutput(reader, jobId, attempt, entry.position, rank)) {
    entry.lines.push(piece)
    entry.position += piece.length
    if (performance.now() - entry.wantedAt > wantedMs) return
    // Other requests are served between the pieces.
    await setImmediate()
  }
}
