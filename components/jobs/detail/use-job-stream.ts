'use client'

import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, keys } from '@/lib/http/queries'
import { jobDetailSchema } from '@/lib/jobs/schemas'
import { isFinal } from '@/lib/jobs/status'
import type { ResultFileRecord } from '@/lib/results/records'
import { OutputStore } from '../output/output-store'
import { parseRecords } from './parse-records'
import { createWorkQueue } from './work-queue'

export type Connection = 'connecting' | 'live' | 'lost' | 'ended'

export interface JobStream {
  store: OutputStore
  /** What the job printed as JSON, as it came. */
  results: readonly unknown[]
  connection: Connection
}

/** A page shows what fits it; all of them are in the file. */
const maxResults = 100_000
const resultsEveryMs = 250
const retryMs = 3000

/**
 * Follows a job for as long as its page is open: the output goes into a store, each change of the job into the
 * query's cache. The browser itself reconnects where it left off; only when the server turned the stream down is
 * it asked anew, from the beginning.
 */
export function useJobStream(id: string): JobStream {
  const client = useQueryClient()
  const [store] = useState(() => new OutputStore())
  const [results, setResults] = useState<readonly unknown[]>([])
  const [connection, setConnection] = useState<Connection>('connecting')
  useEffect(() => {
    const collector = collectResults(setResults)
    const begin = () => {
      store.clear()
      collector.clear()
    }
    const stop = follow(id, {
      onConnection: setConnection,
      onBegin: begin,
      onRecords: (records) => {
        store.append(records)
        collector.take(records)
      },
      onJob: (data) => acceptJob(client, id, data),
    })
    return () => {
      stop()
      collector.stop()
    }
  }, [id, store, client])
  return { store, results, connection }
}

function acceptJob(client: QueryClient, id: string, data: string): void {
  const job = jobDetailSchema.safeParse(JSON.parse(data))
  if (!job.success) return
  client.setQueryData(keys.job(id), job.data)
  if (isFinal(job.data.status)) void client.invalidateQueries({ queryKey: keys.jobs, refetchType: 'none' })
}

interface Follower {
  onConnection: (connection: Connection) => void
  /** Everything that came before is void. */
  onBegin: () => void
  onRecords: (records: ResultFileRecord[]) => void
  onJob: (data: string) => void
}

/** Lines that are read and shown at a time: a few milliseconds' worth. */
const sliceLines = 500

function follow(id: string, follower: Follower): () => void {
  const queue = createWorkQueue()
  let source: EventSource | null = null
  let retry: ReturnType<typeof setTimeout> | undefined

  const queueOutput = (data: string) => {
    const lines = data.split('\n')
    for (let start = 0; start < lines.length; start += sliceLines) {
      queue.push(() => follower.onRecords(parseRecords(lines.slice(start, start + sliceLines))))
    }
  }
  const open = () => {
    const events = new EventSource(api.jobs.eventsUrl(id))
    source = events
    queue.push(follower.onBegin)
    events.addEventListener('open', () => follower.onConnection('live'))
    events.addEventListener('output', ({ data }) => queueOutput(data))
    events.addEventListener('job', ({ data }) => follower.onJob(data))
    events.addEventListener('reset', () => queue.push(follower.onBegin))
    events.addEventListener('end', () => {
      events.close()
      queue.push(() => follower.onConnection('ended'))
    })
    events.addEventListener('error', () => {
      follower.onConnection('lost')
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

/** Gathers the results and hands them on a few times a second, however fast they come. */
function collectResults(show: (results: readonly unknown[]) => void) {
  let results: unknown[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const showSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      show([...results])
    }, resultsEveryMs)
  }
  return {
    take(records: readonly ResultFileRecord[]) {
      const before = results.length
      for (const record of records) {
        if (record.type === 'result' && results.length < maxResults) results.push(record.data)
      }
      if (results.length > before) showSoon()
    },
    clear() {
      if (results.length === 0) return
      results = []
      showSoon()
    },
    stop() {
      clearTimeout(timer)
    },
  }
}
