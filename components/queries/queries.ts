import {
  infiniteQueryOptions,
  keepPreviousData,
  mutationOptions,
  type QueryKey,
  queryOptions,
} from '@tanstack/react-query'
import type { UpdateUser } from '@/lib/contract/access/access'
import type { ApiLimits } from '@/lib/contract/access/limits'
import type { AnswerInvitation, UpdateMembership, UpdateProject } from '@/lib/contract/access/projects'
import type { Role } from '@/lib/contract/access/roles'
import { isFinal } from '@/lib/contract/status'
import { createBrowserClient } from '@/lib/http/client/browser-client'
import type { JobQuery } from '@/lib/http/client/build-client'
import type { Page } from '@/lib/http/client/transport'
import { watchedFetch } from '../shell/connection/connection'

export const api = createBrowserClient({ fetch: watchedFetch })

/** Every key starts with its resource, so that a change makes all views of the resource stale. */
export const keys = {
  jobs: ['jobs'] as const,
  jobList: (query: JobQuery) => ['jobs', 'list', query] as const,
  job: (id: string) => ['jobs', 'detail', id] as const,
  me: ['users', 'me'] as const,
  users: ['users'] as const,
  sessions: ['sessions'] as const,
  tokens: ['tokens'] as const,
  projects: ['projects'] as const,
  projectInvitations: ['project-invitations'] as const,
  snapshots: ['snapshots'] as const,
  environments: ['environments'] as const,
  storage: ['storage'] as const,
  limits: ['limits'] as const,
  notifications: ['notifications'] as const,
}

const busyMs = 2000
const quietMs = 10_000
/** After this many answers without a result file, the page no longer expects it soon. */
const resultFileAttempts = 30

/** A page of jobs. It is repeated more often while one of them is not final. */
export const jobsQuery = (query: JobQuery) =>
  queryOptions({
    queryKey: keys.jobList(query),
    queryFn: ({ signal }) => api.jobs.list(query, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.items.some((job) => !isFinal(job.status)) ? busyMs : quietMs,
  })

/** The user's newest job; null before the first one. */
export const lastJobQuery = () =>
  queryOptions({
    queryKey: [...keys.jobs, 'last'],
    queryFn: async ({ signal }) => (await api.jobs.list({ limit: 1 }, signal)).items[0] ?? null,
  })

/** One job. Its page receives changes as events. The repetition is for lost events. */
export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: keys.job(id),
    queryFn: ({ signal }) => api.jobs.get(id, {}, signal),
    refetchInterval: ({ state: { data, dataUpdateCount } }) => {
      if (!data || !isFinal(data.status)) return quietMs
      // The result becomes a file a moment after the end.
      const expectsFile = data.result_file === null && data.files_deleted === null
      if (expectsFile && dataUpdateCount < resultFileAttempts) return busyMs
      return data.notice?.state === 'retrying' || data.bucket?.state === 'storing' ? quietMs : false
    },
  })

/** The program of a job, and its config with its current priority and tags. */
export const jobSourceQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.jobs, 'source', id],
    queryFn: ({ signal }) => api.jobs.source(id, signal),
  })

/** The files of the uploaded directory. They never change, but they may be deleted. */
export const jobFilesQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.jobs, 'directory', id],
    queryFn: ({ signal }) => api.jobs.files(id, signal),
  })

export const meQuery = () =>
  queryOptions({ queryKey: keys.me, queryFn: ({ signal }) => api.users.me(signal) })

/** The own sessions. */
export const sessionsQuery = () =>
  queryOptions({ queryKey: keys.sessions, queryFn: ({ signal }) => api.sessions.list(signal) })

/** Invitations to projects that the user has not answered. */
export const projectInvitationsQuery = () =>
  queryOptions({
    queryKey: keys.projectInvitations,
    queryFn: ({ signal }) => api.projectInvitations.list(signal),
  })

/** The limits that apply to the user, in a project. */
export const ownLimitsQuery = (projectId: string | null) =>
  queryOptions({
    queryKey: [...keys.limits, 'own', projectId],
    queryFn: ({ signal }) => api.limits.own({ project_id: projectId }, signal),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })

/** The limits of each role, for admins. */
export const roleLimitsQuery = () =>
  queryOptions({
    queryKey: [...keys.limits, 'roles'],
    queryFn: ({ signal }) => api.limits.roles(signal),
  })

/** The limits of an uploaded directory. */
export const archiveLimitsQuery = () =>
  queryOptions({
    queryKey: [...keys.limits, 'archives'],
    queryFn: ({ signal }) => api.archives.limits({}, signal),
    staleTime: 60_000,
  })

export const environmentsQuery = () =>
  queryOptions({
    queryKey: keys.environments,
    queryFn: ({ signal }) => api.environments.list(signal),
    staleTime: 60_000,
  })

/** A list that loads further pages on demand. */
export function listQuery<Item>(
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

/** A change. Afterwards, all views of its resources are stale and load again. */
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

/** The user's own tokens. With `all`: every user's, for admins. */
export const tokensQuery = (all = false) =>
  listQuery([...keys.tokens, { all }], (cursor, signal) =>
    api.tokens.list({ cursor, all: all || null }, signal),
  )

/** The user's own and shared projects. With `all`: every user's, for admins. */
export const projectsQuery = (all = false) =>
  listQuery([...keys.projects, { all }], (cursor, signal) =>
    api.projects.list({ cursor, all: all || null }, signal),
  )

/** One project. */
export const projectQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.projects, 'detail', id],
    queryFn: ({ signal }) => api.projects.get(id, signal),
  })

/** The audit log, newest first, for admins. */
export const auditQuery = (filters: { actor?: string | undefined; action?: string | undefined } = {}) =>
  listQuery(['audit', filters], (cursor, signal) => api.audit.list({ ...filters, cursor }, signal))

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

export const endSession = changing((id: string) => api.sessions.end(id), keys.sessions)
export const endOtherSessions = changing<void, void>(
  () => api.sessions.endAll({ keep_current: true }),
  keys.sessions,
)
/** Ends the calling session too, so nothing is read again. */
export const endAllSessions = mutationOptions({ mutationFn: () => api.sessions.endAll() })

export const createToken = changing(api.tokens.create, keys.tokens)
/** Creates tokens for many users at once. */
export const createTokens = changing(api.tokens.createMany, keys.tokens)
export const revokeToken = changing((id: string) => api.tokens.revoke(id), keys.tokens)

/** Previews an import of users, or does it. */
export const importUsers = changing(api.users.import, keys.users)
export const createProject = changing(api.projects.create, keys.projects)
export const updateProject = changing(
  ({ id, ...body }: UpdateProject & { id: string }) => api.projects.update(id, body),
  keys.projects,
)
export const updateMembership = changing(
  ({ id, ...body }: UpdateMembership & { id: string }) => api.projects.updateMembership(id, body),
  keys.projects,
  keys.limits,
)
export const removeProject = changing((id: string) => api.projects.remove(id), keys.projects)

export const answerProjectInvitation = changing(
  ({ id, ...body }: AnswerInvitation & { id: string }) => api.projectInvitations.answer(id, body),
  keys.projectInvitations,
  keys.projects,
)

export const updateRoleLimits = changing(
  ({ role, ...limits }: ApiLimits & { role: Role }) => api.limits.updateRole(role, limits),
  keys.limits,
)
