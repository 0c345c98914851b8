import type { ResultFileRecord } from '@/lib/contract/records'
import { GpuSeriesStore, type JobGpuSeries } from '../resources/gpu-series'

/** A page shows what fits it; all of them are in the file. */
const maxResults = 100_000
const showEveryMs = 250

interface Listener {
  onResults: (results: readonly unknown[]) => void
  onGpus: (series: readonly JobGpuSeries[]) => void
}

/** Gathers what is not output: results and measurements. Hands them on a few times a second, however fast they come. */
export function collectRecords({ onResults, onGpus }: Listener) {
  let results: unknown[] = []
  const gpus = new GpuSeriesStore()
  const showResults = calm(() => onResults([...results]))
  const showGpus = calm(() => onGpus(gpus.all()))
  return {
    take(records: readonly ResultFileRecord[]) {
      for (const record of records) {
        if (record.type === 'result' && results.length < maxResults) {
          results.push(record.data)
          showResults.soon()
        }
        if (record.type === 'metric') {
          gpus.take(record)
          showGpus.soon()
        }
      }
    },
    clear() {
      if (results.length > 0) showResults.soon()
      results = []
      gpus.clear()
      showGpus.soon()
    },
    stop() {
      showResults.stop()
      showGpus.stop()
    },
  }
}

/** Does something a moment after it was first asked for, once for all who ask in between. */
function calm(act: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    soon() {
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
