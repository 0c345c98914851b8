import {
  infiniteQueryOptions,
  keepPreviousData,
  mutationOptions,
  type QueryKey,
  queryOptions,
} from '@tanstack/react-query'
import type { UpdateEnvironment, UpdateProject, UpdateUser } from '@/lib/contract/access'
import type { JobSummary } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import { createClient, type JobQuery } from '@/lib/http/client/client'
import type { Page } from '@/lib/http/client/transport'

/** The browser's own client: same origin, and the session's cookie says who it is. */
export const api = createClient()

/** Every key begins with the name of its resource, so that one change marks all views of it as stale. */
export const keys = {
  jobs: ['jobs'] as const,
  jobList: (query: JobQuery) => ['jobs', 'list', query] as const,
  job: (id: string) => ['jobs', 'detail', id] as const,
  jobResult: (id: string) => ['jobs', 'result', id] as const,
  jobArtifacts: (id: string) => ['jobs', 'artifacts', id] as const,
  jobSource: (id: string) => ['jobs', 'source', id] as const,
  me: ['users', 'me'] as const,
  users: ['users'] as const,
  tokens: ['tokens'] as const,
  projects: ['projects'] as const,
  environments: ['environments'] as const,
  audit: ['audit'] as const,
}

const busyMs = 2000
const quietMs = 10_000
const patience = 30

function refreshJobs(page: Page<JobSummary> | undefined): number {
  return page?.items.some((job) => !isFinal(job.status)) ? busyMs : quietMs
}

/** One page of jobs; asks again by itself, more often while one of them is on its way. */
export function jobsQuery(query: JobQuery) {
  return queryOptions({
    queryKey: keys.jobList(query),
    queryFn: ({ signal }) => api.jobs.list(query, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => refreshJobs(state.data),
  })
}

/** One job. Its page hears of changes by events; asking again is the safety net under them. */
export function jobQuery(id: string) {
  return queryOptions({
    queryKey: keys.job(id),
    queryFn: ({ signal }) => api.jobs.get(id, {}, signal),
    refetchInterval: ({ state: { data, dataUpdateCount } }) => {
      if (!data || !isFinal(data.status)) return quietMs
      // The result becomes a file a moment after the end.
      if (data.result_file === null && data.deleted_after_days === null && dataUpdateCount < patience)
        return busyMs
      return data.notice?.state === 'trying' ? quietMs : false
    },
  })
}

/** What was submitted: never changes. */
export function jobSourceQuery(id: string) {
  return queryOptions({
    queryKey: keys.jobSource(id),
    queryFn: ({ signal }) => api.jobs.source(id, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** What a job left in /results. It is all there once the job has ended. */
export function jobArtifactsQuery(id: string, ended: boolean) {
  return queryOptions({
    queryKey: [...keys.jobArtifacts(id), ended],
    queryFn: ({ signal }) => api.jobs.artifacts(id, signal),
  })
}

export function artifactPreviewQuery(id: string, artifactId: string) {
  return queryOptions({
    queryKey: [...keys.jobArtifacts(id), 'preview', artifactId],
    queryFn: ({ signal }) => api.jobs.artifactPreview(id, artifactId, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function meQuery() {
  return queryOptions({ queryKey: keys.me, queryFn: ({ signal }) => api.users.me(signal) })
}

/** A list whose further pages are read as they are asked for. */
function listQuery<Item>(
  queryKey: QueryKey,
  read: (cursor: string | null, signal: AbortSignal) => Promise<Page<Item>>,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  })
}

/** A change. Every view of the resources that it concerns is stale afterwards, and read again. */
export function changing<Input, Output>(change: (input: Input) => Promise<Output>, ...resources: QueryKey[]) {
  return mutationOptions({
    mutationFn: (input: Input) => change(input),
    onSuccess: (_output, _input, _context, { client }) =>
      Promise.all(resources.map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
}

/** Every user, for admins. */
export const usersQuery = () =>
  listQuery([...keys.users, 'list'], (cursor, signal) => api.users.list({ cursor }, signal))

/** Own tokens, or with `all` everyone's, for admins. */
export const tokensQuery = (all = false) =>
  listQuery([...keys.tokens, { all }], (cursor, signal) =>
    api.tokens.list({ cursor, all: all || null }, signal),
  )

/** Own and shared projects, or with `all` everyone's, for admins. */
export const projectsQuery = (all = false) =>
  listQuery([...keys.projects, { all }], (cursor, signal) =>
    api.projects.list({ cursor, all: all || null }, signal),
  )

/** Who did what, newest first, for admins. */
export const auditQuery = (filters: { actor?: string | undefined; action?: string | undefined } = {}) =>
  listQuery([...keys.audit, filters], (cursor, signal) => api.audit.list({ ...filters, cursor }, signal))

export function environmentsQuery() {
  return queryOptions({
    queryKey: keys.environments,
    queryFn: ({ signal }) => api.environments.list(signal),
    staleTime: 60_000,
  })
}

export const submitJob = changing(api.jobs.submit, keys.jobs)

export const cancelJob = mutationOptions({
  mutationFn: (id: string) => api.jobs.cancel(id),
  onSuccess: (job, id, _, { client }) => {
    client.setQueryData(keys.job(id), job)
    return client.invalidateQueries({ queryKey: keys.jobs, refetchType: 'active' })
  },
})

export const createUser = changing(api.users.create, keys.users)
export const updateUser = changing(
  ({ handle, ...body }: UpdateUser & { handle: string }) => api.users.update(handle, body),
  keys.users,
)

export const createToken = changing(api.tokens.create, keys.tokens)
export const revokeToken = changing((id: string) => api.tokens.revoke(id), keys.tokens)

export const createProject = changing(api.projects.create, keys.projects)
export const updateProject = changing(
  ({ id, ...body }: UpdateProject & { id: string }) => api.projects.update(id, body),
  keys.projects,
)
export const removeProject = changing((id: string) => api.projects.remove(id), keys.projects)

export const createEnvironment = changing(api.environments.create, keys.environments)
export const updateEnvironment = changing(
  ({ name, ...body }: UpdateEnvironment & { name: string }) => api.environments.update(name, body),
  keys.environments,
)
