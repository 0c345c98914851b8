import { queryOptions } from '@tanstack/react-query'
import { api, listQuery } from '../queries/queries'

const resource = ['experiments'] as const

/** The experiments of a project, or the own ones, newest first. */
export const experimentsQuery = (project: string | null) => ({
  ...listQuery([...resource, 'list', project], (cursor, signal) =>
    api.experiments.list({ cursor, project_id: project }, signal),
  ),
  refetchInterval: 10_000,
})

/** What a job or a group follows, and what follows it. @param followers how many: after a change the answer is another */
export const placeQuery = (id: string, followers: number) =>
  queryOptions({
    queryKey: [...resource, 'place', id, followers],
    queryFn: ({ signal }) => api.experiments.get(id, signal),
  })
