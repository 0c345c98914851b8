import type { OutputStore } from '../output/output-store'
import type { PageRecord } from '../output/page-record'
import { GpuSeriesStore, type JobGpuSeries } from '../resources/gpu-series'
import { type ShownResult, toShownResult } from '../result/shown-result'
import type { TerminalFeeds } from './terminal-feed'

/** The page shows at most this many results. The result file has all of them. */
const maxResults = 100_000
const showEveryMs = 250

interface RecordConsumers {
  store: OutputStore
  terminals: TerminalFeeds
  onResults: (results: readonly ShownResult[]) => void
  onGpus: (series: readonly JobGpuSeries[]) => void
}

export type RecordCollector = ReturnType<typeof collectRecords>

/** Puts output into the store and the terminals, and reports results and measurements a few times per second. */
export function collectRecords({ store, terminals, onResults, onGpus }: RecordConsumers) {
  let results: ShownResult[] = []
  const gpus = new GpuSeriesStore()
  const showResults = throttle(() => onResults([...results]))
  const showGpus = throttle(() => onGpus(gpus.all()))
  return {
    take(records: readonly PageRecord[]) {
      store.append(records)
      terminals.append(records)
      for (const record of records) {
        if (record.type === 'result' && results.length < maxResults) {
          const result = toShownResult(record.json, record.text)
          if (result) results.push(result)
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
