import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, keys } from '@/components/queries/queries'
import { type JobDetail, jobDetailSchema } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import { OutputStore } from '../output/output-store'
import type { JobGpuSeries } from '../resources/gpu-series'
import { TerminalFeeds } from '../terminal/terminal-feed'
import { collectRecords, parseRecords, type RecordCollector } from './collect-records'
import { createWorkQueue } from './work-queue'

export type Connection = 'connecting' | 'live' | 'lost' | 'ended'

export interface JobStream {
  store: OutputStore
  terminals: TerminalFeeds
  /** The JSON values that the job printed. */
  results: readonly unknown[]
  /** The measured use of its GPUs. */
  gpus: readonly JobGpuSeries[]
  connection: Connection
}

const retryMs = 3000

/**
 * Follows a job while its page is open. Output goes into a store, changes of the job into the query cache. The browser
 * reconnects by itself and resumes. Only if the server refuses the stream does this hook open a new one from the start.
 */
export function useJobStream(id: string): JobStream {
  const client = useQueryClient()
  const [store] = useState(() => new OutputStore())
  const [terminals] = useState(() => new TerminalFeeds())
  const [results, setResults] = useState<readonly unknown[]>([])
  const [gpus, setGpus] = useState<readonly JobGpuSeries[]>([])
  const [connection, setConnection] = useState<Connection>('connecting')
  useEffect(() => {
    const collector = collectRecords({ store, terminals, onResults: setResults, onGpus: setGpus })
    const stop = follow(id, {
      collector,
      terminals,
      onConnection: setConnection,
      onJob: (data) => acceptJob(client, id, data),
    })
    return () => {
      stop()
      collector.stop()
    }
  }, [id, store, terminals, client])
  return { store, terminals, results, gpus, connection }
}

function acceptJob(client: QueryClient, id: string, data: string): void {
  const job = jobDetailSchema.safeParse(JSON.parse(data))
  if (!job.success) return
  // Events do not have the prediction.
  client.setQueryData<JobDetail>(keys.job(id), (before) => ({
    predicted_time: before?.predicted_time,
    ...job.data,
  }))
  if (isFinal(job.data.status)) void client.invalidateQueries({ queryKey: keys.jobs, refetchType: 'none' })
}

interface Follower {
  collector: RecordCollector
  terminals: TerminalFeeds
  onConnection: (connection: Connection) => void
  onJob: (data: string) => void
}

/** A browser parses a record of this size in some milliseconds. Of a larger result, the page shows the start. */
const maxRecordBytes = 1024 ** 2

/** Lines parsed at a time, which takes a few milliseconds. */
const sliceLines = 500

function follow(id: string, { collector, terminals, onConnection, onJob }: Follower): () => void {
  const queue = createWorkQueue()
  let source: EventSource | null = null
  let retry: ReturnType<typeof setTimeout> | undefined

  const queueOutput = (data: string) => {
    const lines = data.split('\n')
    for (let start = 0; start < lines.length; start += sliceLines) {
      queue.push(() => collector.take(parseRecords(lines.slice(start, start + sliceLines))))
    }
  }
  const open = () => {
    const events = new EventSource(`${api.jobs.eventsUrl(id)}?max_record_bytes=${maxRecordBytes}`)
    source = events
    queue.push(collector.clear)
    events.addEventListener('open', () => onConnection('live'))
    events.addEventListener('output', ({ data }) => queueOutput(data))
    events.addEventListener('job', ({ data }) => {
      onJob(data)
      // The server sends the earlier output before the first status.
      queue.push(() => terminals.markLive())
    })
    events.addEventListener('reset', () => {
      queue.push(collector.clear)
      queue.push(() => terminals.markLive())
    })
    events.addEventListener('end', () => {
      events.close()
      queue.push(() => onConnection('ended'))
    })
    events.addEventListener('error', () => {
      onConnection('lost')
      if (events.readyState === EventSource.CLOSED) retry = setTimeout(open, retryMs)
    })
  }
  open()
  return () => {
    clearTimeout(retry)
    source?.close()
    queue.close()
  }
}
