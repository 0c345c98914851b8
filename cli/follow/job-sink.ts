import type { JobDetail } from '@/lib/contract/jobs'
import type { Printed } from '@/lib/contract/output/printed-output'

/** Receives one job's output, in order. A retried job starts again. */
export interface JobSink {
  started(job: JobDetail): Promise<void>
  write(printed: Printed): Promise<void>
  /** The attempt, or the job, has ended. */
  ended(): Promise<void>
}
