import { useEffect, useEffectEvent, useState } from 'react'
import { OutputStore } from '../output/output-store'
import { parseRecords } from '../output/page-record'
import type { JobGpuSeries } from '../resources/gpu-series'
import type { ShownResult } from '../result/shown-result'
import { collectRecords, type RecordCollector } from './collect-records'
import { type FirstOutput, noOutput } from './first-output'
import { TerminalFeeds } from './terminal-feed'
import { createWorkQueue } from './work-queue'

/** `closed`: the reader may no longer see the job. */
export type Connection = 'connecting' | 'live' | 'lost' | 'ended' | 'closed'

export interface EventStream {
  store: OutputStore
  terminals: TerminalFeeds
  /** The JSON values that the job printed. */
  results: readonly ShownResult[]
  /** The measured use of its GPUs. */
  gpus: readonly JobGpuSeries[]
  connection: Connection
  /** The page has the output that was there when it opened. */
  loaded: boolean
}

const firstRetryMs = 3000
const maxRetryMs = 15_000

/**
 * Follows the events of a job at an address. Output goes into a store. The browser reconnects by itself and resumes. Only if the
 * server refuses the stream does this hook open a new one from the start.
 * @param onJob receives the data of each change of the job
 * @param first the start or the end of the output, shown until the stream has sent all of it
 */
export function useEventStream(
  url: string,
  onJob: (data: string) => void,
  first: FirstOutput = noOutput,
): EventStream {
  const [store] = useState(() => storeOf(first))
  const [terminals] = useState(() => new TerminalFeeds())
  const [results, setResults] = useState<readonly ShownResult[]>([])
  const [gpus, setGpus] = useState<readonly JobGpuSeries[]>([])
  const [connection, setConnection] = useState<Connection>('connecting')
  const [loaded, setLoaded] = useState(false)
  const acceptJob = useEffectEvent(onJob)
  useEffect(() => {
    const collector = collectRecords({ store, terminals, onResults: setResults, onGpus: setGpus })
    const stop = follow(url, {
      collector,
      terminals,
      onConnection: setConnection,
      onLoaded: () => {
        store.showAll()
        setLoaded(true)
      },
      onJob: (data) => acceptJob(data),
    })
    return () => {
      stop()
      collector.stop()
    }
  }, [url, store, terminals])
  return { store, terminals, results, gpus, connection, loaded }
}

function storeOf({ records, isTail }: FirstOutput): OutputStore {
  const store = new OutputStore()
  const parsed = parseRecords(records)
  if (isTail && parsed.length > 0) store.showTail(parsed)
  else store.append(parsed)
  return store
}

interface Follower {
  collector: RecordCollector
  terminals: TerminalFeeds
  onConnection: (connection: Connection) => void
  /** All output so far was taken. */
  onLoaded: () => void
  onJob: (data: string) => void
}

/** Lines parsed at a time, which takes a few milliseconds. */
const sliceLines = 500

function follow(url: string, { collector, terminals, onConnection, onLoaded, onJob }: Follower): () => void {
  const queue = createWorkQueue()
  let source: EventSource | null = null
  let retry: ReturnType<typeof setTimeout> | undefined
  let retryMs = firstRetryMs

  const open = () => {
    const events = new EventSource(url)
    source = events
    // A new stream starts with the first output. What the page shows stays until then, so that it never gets empty.
    let cleared = false
    const push = (work: () => void) =>
      queue.push(() => {
        if (!cleared) collector.clear()
        cleared = true
        work()
      })
    const queueOutput = (data: string) => {
      const lines = data.split('\n')
      for (let start = 0; start < lines.length; start += sliceLines) {
        push(() => collector.take(parseRecords(lines.slice(start, start + sliceLines))))
      }
    }
    events.addEventListener('open', () => {
      retryMs = firstRetryMs
      onConnection('live')
    })
    events.addEventListener('output', ({ data }) => queueOutput(data))
    events.addEventListener('job', ({ data }) => {
      onJob(data)
      // The server sends the earlier output before the first status.
      push(() => {
        terminals.markLive()
        onLoaded()
      })
    })
    events.addEventListener('reset', () => {
      push(collector.clear)
      push(() => terminals.markLive())
    })
    events.addEventListener('end', () => {
      events.close()
      push(() => {
        onLoaded()
        onConnection('ended')
      })
    })
    events.addEventListener('closed', () => {
      events.close()
      queue.push(() => onConnection('closed'))
    })
    events.addEventListener('error', () => {
      onConnection('lost')
      if (events.readyState !== EventSource.CLOSED) return
      retry = setTimeout(open, retryMs)
      retryMs = Math.min(maxRetryMs, retryMs * 2)
    })
  }
  open()
  return () => {
    clearTimeout(retry)
    source?.close()
    queue.close()
  }
}
