import type { ResultFileRecord } from '@/lib/contract/records'
import { GpuSeriesStore, type JobGpuSeries } from '../resources/gpu-series'

/** The page shows at most this many results. The result file has all of them. */
const maxResults = 100_000
const showEveryMs = 250

interface RecordListeners {
  onResults: (results: readonly unknown[]) => void
  onGpus: (series: readonly JobGpuSeries[]) => void
}

/** Collects results and measurements, and reports them a few times per second. */
export function collectRecords({ onResults, onGpus }: RecordListeners) {
  let results: unknown[] = []
  const gpus = new GpuSeriesStore()
  const showResults = throttle(() => onResults([...results]))
  const showGpus = throttle(() => onGpus(gpus.all()))
  return {
    take(records: readonly ResultFileRecord[]) {
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
    clear() {
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
