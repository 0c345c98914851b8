import { z } from 'zod'
import {
  auditEventSchema,
  type CreateEnvironment,
  type CreateProject,
  type CreateToken,
  type CreateUser,
  createdTokenSchema,
  createdUserSchema,
  environmentSchema,
  projectSchema,
  tokenSchema,
  type UpdateEnvironment,
  type UpdateProject,
  type UpdateUser,
  userSchema,
} from '../../contract/access'
import {
  jobDetailSchema,
  type jobFiltersSchema,
  jobResultSchema,
  jobSourceSchema,
  jobSummarySchema,
  submitResultSchema,
  type TerminalSize,
} from '../../contract/jobs'
import { archiveCalls } from './archives'
import { artifactCalls } from './artifacts'
import { clusterCalls, orchestratorCalls, queueCalls } from './cluster'
import { type ClientOptions, createTransport, type Query, type Transport } from './transport'

/** How far to read a list, and from where. */
export interface Paging {
  limit?: number
  cursor?: string | null
}

export type JobQuery = Partial<z.output<typeof jobFiltersSchema>>

export interface Submission {
  /** Left out where the config has a command. */
  code?: Blob | string
  config: Blob | string
  /** Waits for the job to end and answers with its result. */
  wait?: boolean
  /** Makes a repeated call safe: the same key and files are the same job. */
  idempotencyKey?: string
  /** Where the user's job of the same content is alive or has completed, that job is the answer. */
  deduplicate?: boolean
}

const submittedSchema = submitResultSchema.partial().required({ job_id: true, status: true })

/**
 * gpuq's API, typed, for the browser and for Node. Every method throws a `ProblemError` when gpuq refuses or does
 * not answer.
 */
export function createClient(options: ClientOptions = {}) {
  const transport = createTransport(options)
  return {
    jobs: jobCalls(transport),
    users: userCalls(transport),
    tokens: tokenCalls(transport),
    projects: projectCalls(transport),
    environments: environmentCalls(transport),
    cluster: clusterCalls(transport),
    queue: queueCalls(transport),
    archives: archiveCalls(transport),
    orchestrator: orchestratorCalls(transport),
    audit: {
      list: (query: Query & Paging = {}, signal?: AbortSignal) =>
        transport.page('/api/audit', auditEventSchema, { query, signal }),
    },
    /** For what has no method here. */
    transport,
  }
}

export type Client = ReturnType<typeof createClient>

const segment = encodeURIComponent

function jobCalls(transport: Transport) {
  return {
    list: (query: JobQuery = {}, signal?: AbortSignal) =>
      transport.page('/api/jobs', jobSummarySchema, { query, signal }),
    get: (id: string, signal?: AbortSignal) =>
      transport.json(`/api/status/${segment(id)}`, jobDetailSchema, { signal }),
    result: (id: string, signal?: AbortSignal) =>
      transport.json(`/api/results/${segment(id)}`, jobResultSchema, { signal }),
    source: (id: string, signal?: AbortSignal) =>
      transport.json(`/api/jobs/${segment(id)}/source`, jobSourceSchema, { signal }),
    cancel: (id: string) => transport.json(`/api/cancel/${segment(id)}`, jobDetailSchema, { method: 'POST' }),
    submit: (submission: Submission, signal?: AbortSignal) => {
      const { code, config, wait = false, idempotencyKey, deduplicate } = submission
      const body = new FormData()
      if (code !== undefined) body.append('code', toBlob(code, 'text/x-python'), 'solution.py')
      body.append('config_file', toBlob(config, 'application/yaml'), 'config.yaml')
      const headers: Record<string, string> = idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}
      const query = { wait: wait ? undefined : false, deduplicate }
      return transport.json('/api/submit', submittedSchema, { method: 'POST', query, body, headers, signal })
    },
    /** Where the whole result can be downloaded, as JSONL or as what the job printed. */
    downloadUrl: (id: string, format: 'jsonl' | 'text') =>
      transport.url(`/api/results/${segment(id)}`, { format }),
    /** The whole result as it comes. */
    download: (id: string, format: 'jsonl' | 'text', signal?: AbortSignal) =>
      transport.raw(`/api/results/${segment(id)}`, { query: { format }, signal }),
    ...artifactCalls(transport),
    /** The job's live event stream, from behind the last event that was seen: for programs, which send a token. */
    events: (id: string, lastEventId: string | null, signal?: AbortSignal, tail?: number) => {
      const from: Record<string, string> = lastEventId === null ? {} : { 'last-event-id': lastEventId }
      const headers = { accept: 'text/event-stream', ...from }
      return transport.raw(`/api/jobs/${segment(id)}/events`, { headers, query: { tail }, signal })
    },
    /** Types at the job's terminal. */
    type: (id: string, bytes: Uint8Array, rank?: number) =>
      transport.done(`/api/jobs/${segment(id)}/terminal/input`, {
        method: 'POST',
        query: { rank },
        body: bytes,
      }),
    resize: (id: string, size: TerminalSize, rank?: number) =>
      transport.done(`/api/jobs/${segment(id)}/terminal/size`, {
        method: 'POST',
        query: { rank },
        body: size,
      }),
    /** The address of that stream: for browsers. */
    eventsUrl: (id: string) => transport.url(`/api/jobs/${segment(id)}/events`),
  }
}

function toBlob(content: Blob | string, type: string): Blob {
  return typeof content === 'string' ? new Blob([content], { type }) : content
}

function userCalls(transport: Transport) {
  return {
    list: (query: Paging = {}, signal?: AbortSignal) =>
      transport.page('/api/users', userSchema, { query: { ...query }, signal }),
    me: (signal?: AbortSignal) => transport.json('/api/users/me', userSchema, { signal }),
    create: (body: CreateUser) => transport.json('/api/users', createdUserSchema, { method: 'POST', body }),
    update: (handle: string, body: UpdateUser) =>
      transport.json(`/api/users/${segment(handle)}`, createdUserSchema.partial({ invitation_url: true }), {
        method: 'PATCH',
        body,
      }),
    changePassword: (body: { current_password: string; new_password: string }) =>
      transport.done('/api/users/me/password', { method: 'POST', body }),
    acceptInvitation: (body: { token: string; password: string }) =>
      transport.json('/api/invitations', z.object({ user_id: z.string() }), { method: 'POST', body }),
  }
}

function tokenCalls(transport: Transport) {
  return {
    list: (query: Paging & { user_id?: string; all?: boolean } = {}, signal?: AbortSignal) =>
      transport.page('/api/tokens', tokenSchema, { query: { ...query }, signal }),
    create: (body: CreateToken) =>
      transport.json('/api/tokens', createdTokenSchema, { method: 'POST', body }),
    revoke: (id: string) => transport.done(`/api/tokens/${segment(id)}`, { method: 'DELETE' }),
  }
}

function projectCalls(transport: Transport) {
  return {
    list: (query: Paging & { all?: boolean } = {}, signal?: AbortSignal) =>
      transport.page('/api/projects', projectSchema, { query: { ...query }, signal }),
    create: (body: CreateProject) => transport.json('/api/projects', projectSchema, { method: 'POST', body }),
    update: (id: string, body: UpdateProject) =>
      transport.json(`/api/projects/${segment(id)}`, projectSchema, { method: 'PATCH', body }),
    remove: (id: string) => transport.done(`/api/projects/${segment(id)}`, { method: 'DELETE' }),
  }
}

function environmentCalls(transport: Transport) {
  return {
    list: (signal?: AbortSignal) =>
      transport.json('/api/environments', z.array(environmentSchema), { signal }),
    create: (body: CreateEnvironment) =>
      transport.json('/api/environments', environmentSchema, { method: 'POST', body }),
    update: (name: string, body: UpdateEnvironment) =>
      transport.json(`/api/environments/${segment(name)}`, environmentSchema, { method: 'PATCH', body }),
  }
}
