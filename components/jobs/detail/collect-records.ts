import { parseJson } from '@/lib/contract/parse-json'
import type { ResultFileRecord } from '@/lib/contract/records'
import type { OutputStore } from '../output/output-store'
import { GpuSeriesStore, type JobGpuSeries } from '../resources/gpu-series'
import type { TerminalFeeds } from '../terminal/terminal-feed'

/** The page shows at most this many results. The result file has all of them. */
const maxResults = 100_000
const showEveryMs = 250

interface RecordConsumers {
  store: OutputStore
  terminals: TerminalFeeds
  onResults: (results: readonly unknown[]) => void
  onGpus: (series: readonly JobGpuSeries[]) => void
}

export type RecordCollector = ReturnType<typeof collectRecords>

/** Puts output into the store and the terminals, and reports results and measurements a few times per second. */
export function collectRecords({ store, terminals, onResults, onGpus }: RecordConsumers) {
  let results: unknown[] = []
  const gpus = new GpuSeriesStore()
  const showResults = throttle(() => onResults([...results]))
  const showGpus = throttle(() => onGpus(gpus.all()))
  return {
    take(records: readonly ResultFileRecord[]) {
      store.append(records)
      terminals.append(records)
      for (const record of records) {
        if (record.type === 'result' && results.length < maxResults) {
          results.push(record.data)
          showResults.schedule()
        }
        if (record.type === 'metric') {
          gpus.take(record)
          showGpus.schedule()
        }
      }
    },
    /** The stream starts again: all earlier records are invalid. */
    clear() {
      store.clear()
      terminals.clear()
      if (results.length > 0) showResults.schedule()
      results = []
      gpus.clear()
      showGpus.schedule()
    },
    stop() {
      showResults.stop()
      showGpus.stop()
    },
  }
}

/** Runs an action once for all requests within a short interval. */
function throttle(act: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    schedule() {
      timer ??= setTimeout(() => {
        timer = undefined
        act()
      }, showEveryMs)
    },
    stop() {
      clearTimeout(timer)
    },
  }
}

/** The records of some lines. Skips invalid lines, so that the rest of the output is shown. */
export function parseRecords(lines: readonly string[]): ResultFileRecord[] {
  return lines.flatMap((line) => {
    const record = parseJson(line)
    return isRecord(record) ? [record] : []
  })
}

const recordTypes: readonly unknown[] = [
  'job',
  'stdout',
  'stderr',
  'result',
  'metric',
  'truncated',
  'exit',
] satisfies ResultFileRecord['type'][]

/** gpuq writes the records, and a job cannot forge one. So the type is enough to know the rest. */
function isRecord(value: unknown): value is ResultFileRecord {
  return typeof value === 'object' && value !== null && 'type' in value && recordTypes.includes(value.type)
}
