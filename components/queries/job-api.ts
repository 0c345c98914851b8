import { queryOptions } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { api, keys } from './queries'

/** The part of the API from which a page reads the metrics of a job and its files in /results. */
export type JobApi = Pick<
  typeof api.shares,
  'metrics' | 'metricsCsvUrl' | 'artifacts' | 'artifactPreview' | 'artifactUrl' | 'archiveUrl'
>

/** With a login, by the id of the job. The page of a read-only link has `api.shares`, by the token of the link. */
export const JobApiContext = createContext<JobApi>(api.jobs)

export const useJobApi = (): JobApi => useContext(JobApiContext)

/** The files in /results. They are complete once the job has ended. */
export const jobArtifactsQuery = (jobApi: JobApi, id: string, ended: boolean) =>
  queryOptions({
    queryKey: [...keys.jobs, 'artifacts', id, ended],
    queryFn: ({ signal }) => jobApi.artifacts(id, signal),
  })

export const artifactPreviewQuery = (jobApi: JobApi, id: string, artifactId: string) =>
  queryOptions({
    queryKey: [...keys.jobs, 'artifacts', id, 'preview', artifactId],
    queryFn: ({ signal }) => jobApi.artifactPreview(id, artifactId, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
