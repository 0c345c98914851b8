import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { api, keys } from '@/components/queries/queries'
import type { JobDetail } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import type { FirstOutput } from './first-output'
import { type EventStream, useEventStream } from './use-event-stream'

export type JobStream = EventStream

/** A browser parses a record of this size in some milliseconds. The page shows the start of a larger result. */
const maxRecordBytes = 1024 ** 2

/** Follows a job while its page is open. Changes of the job go into the query cache. */
export function useJobStream(id: string, first: FirstOutput): JobStream {
  const client = useQueryClient()
  const url = `${api.jobs.eventsUrl(id)}?max_record_bytes=${maxRecordBytes}`
  return useEventStream(url, (data) => acceptJob(client, id, data), first)
}

function acceptJob(client: QueryClient, id: string, data: string): void {
  const job: JobDetail = JSON.parse(data)
  // Events do not have the prediction.
  client.setQueryData<JobDetail>(keys.job(id), (before) => ({
    predicted_time: before?.predicted_time,
    ...job,
  }))
  if (isFinal(job.status)) void client.invalidateQueries({ queryKey: keys.jobs, refetchType: 'none' })
}
