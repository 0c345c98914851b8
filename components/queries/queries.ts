import { infiniteQueryOptions, keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import type {
  CreateEnvironment,
  CreateProject,
  CreateToken,
  CreateUser,
  UpdateEnvironment,
  UpdateProject,
  UpdateUser,
} from '@/lib/contract/access'
import type { JobSummary } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import { createClient, type JobQuery, type Submission } from '@/lib/http/client/client'
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

/** A job's result. It changes no more once the job has ended. */
export function jobResultQuery(id: string) {
  return queryOptions({
    queryKey: keys.jobResult(id),
    queryFn: ({ signal }) => api.jobs.result(id, {}, signal),
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

const paging = {
  initialPageParam: null as string | null,
  getNextPageParam: (page: Page<unknown>) => page.next,
}

/** Every user, for admins. */
export function usersQuery() {
  return infiniteQueryOptions({
    ...paging,
    queryKey: [...keys.users, 'list'],
    queryFn: ({ pageParam, signal }) => api.users.list({ cursor: pageParam }, signal),
  })
}

/** Own tokens, or with `all` everyone's, for admins. */
export function tokensQuery(all = false) {
  return infiniteQueryOptions({
    ...paging,
    queryKey: [...keys.tokens, { all }],
    queryFn: ({ pageParam, signal }) =>
      api.tokens.list({ cursor: pageParam, ...(all ? { all } : {}) }, signal),
  })
}

/** Own and shared projects, or with `all` everyone's, for admins. */
export function projectsQuery(all = false) {
  return infiniteQueryOptions({
    ...paging,
    queryKey: [...keys.projects, { all }],
    queryFn: ({ pageParam, signal }) =>
      api.projects.list({ cursor: pageParam, ...(all ? { all } : {}) }, signal),
  })
}

export function environmentsQuery() {
  return queryOptions({
    queryKey: keys.environments,
    queryFn: ({ signal }) => api.environments.list(signal),
    staleTime: 60_000,
  })
}

/** Who did what, newest first, for admins. */
export function auditQuery(filters: Record<string, string | undefined> = {}) {
  return infiniteQueryOptions({
    ...paging,
    queryKey: [...keys.audit, filters],
    queryFn: ({ pageParam, signal }) => api.audit.list({ ...filters, cursor: pageParam }, signal),
  })
}

export const submitJob = mutationOptions({
  mutationFn: (submission: Submission) => api.jobs.submit(submission),
  onSuccess: (_job, _submission, _, { client }) => client.invalidateQueries({ queryKey: keys.jobs }),
})

export const cancelJob = mutationOptions({
  mutationFn: (id: string) => api.jobs.cancel(id),
  onSuccess: (job, id, _, { client }) => {
    client.setQueryData(keys.job(id), job)
    return client.invalidateQueries({ queryKey: keys.jobs, refetchType: 'active' })
  },
})

export const createUser = mutationOptions({
  mutationFn: (body: CreateUser) => api.users.create(body),
  onSuccess: (_user, _body, _, { client }) => client.invalidateQueries({ queryKey: keys.users }),
})

export const updateUser = mutationOptions({
  mutationFn: ({ handle, ...body }: UpdateUser & { handle: string }) => api.users.update(handle, body),
  onSuccess: (_user, _body, _, { client }) => client.invalidateQueries({ queryKey: keys.users }),
})

export const createToken = mutationOptions({
  mutationFn: (body: CreateToken) => api.tokens.create(body),
  onSuccess: (_token, _body, _, { client }) => client.invalidateQueries({ queryKey: keys.tokens }),
})

export const revokeToken = mutationOptions({
  mutationFn: (id: string) => api.tokens.revoke(id),
  onSuccess: (_answer, _id, _, { client }) => client.invalidateQueries({ queryKey: keys.tokens }),
})

export const createProject = mutationOptions({
  mutationFn: (body: CreateProject) => api.projects.create(body),
  onSuccess: (_project, _body, _, { client }) => client.invalidateQueries({ queryKey: keys.projects }),
})

export const updateProject = mutationOptions({
  mutationFn: ({ id, ...body }: UpdateProject & { id: string }) => api.projects.update(id, body),
  onSuccess: (_project, _body, _, { client }) => client.invalidateQueries({ queryKey: keys.projects }),
})

export const removeProject = mutationOptions({
  mutationFn: (id: string) => api.projects.remove(id),
  onSuccess: (_answer, _id, _, { client }) => client.invalidateQueries({ queryKey: keys.projects }),
})

export const createEnvironment = mutationOptions({
  mutationFn: (body: CreateEnvironment) => api.environments.create(body),
  onSuccess: (_made, _body, _, { client }) => client.invalidateQueries({ queryKey: keys.environments }),
})

export const updateEnvironment = mutationOptions({
  mutationFn: ({ name, ...body }: UpdateEnvironment & { name: string }) =>
    api.environments.update(name, body),
  onSuccess: (_changed, _body, _, { client }) => client.invalidateQueries({ queryKey: keys.environments }),
})
