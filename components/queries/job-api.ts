import { createContext, useContext } from 'react'
import { api } from './queries'

/** The part of the API from which a page reads the metrics of a job and its files in /results. */
export type JobApi = Pick<
  typeof api.shares,
  'metrics' | 'metricsCsvUrl' | 'artifacts' | 'artifactPreview' | 'artifactUrl' | 'archiveUrl'
>

/** With a login, by the id of the job. The page of a read-only link has `api.shares`, by the token of the link. */
export const JobApiContext = createContext<JobApi>(api.jobs)

export const useJobApi = (): JobApi => useContext(JobApiContext)
