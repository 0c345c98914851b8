import type { ComponentType } from 'react'
import type { JobDetail } from '@/lib/contract/jobs'
import type { JobAccess } from './job-access'
import type { JobStream } from './use-job-stream'

export interface FeatureTabProps {
  job: JobDetail
  stream: JobStream
  access: JobAccess
}

/** A tab that a feature adds to the page of a job. */
export interface JobTab {
  value: string
  label: string
  /** The tab of the kernel that it stands before. */
  before: 'output' | 'files'
  isShown(job: JobDetail): boolean
  Content: ComponentType<FeatureTabProps>
}
