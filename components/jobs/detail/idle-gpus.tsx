import type { JobDetail } from '@/lib/contract/jobs'
import { Callout } from '../../ui/callout'
import { RelativeTime } from '../../ui/relative-time'

/** Warns that gpuq will stop a job that does not use its GPUs. */
export function IdleGpus({ idle }: { idle: NonNullable<JobDetail['idle_gpu']> }) {
  return (
    <Callout tone="warning" announce title="The GPUs of this job are idle">
      They have been idle since <RelativeTime at={idle.since} />. gpuq stops the job{' '}
      <RelativeTime at={idle.stops_at} /> unless it uses them. If the job is done, cancel it: its GPUs are
      then free for others.
    </Callout>
  )
}
