import type { JobFilters } from '../../contract/job-queries'
import type { JobResult } from '../../contract/jobs'
import type { QueueSubmitted } from '../../contract/queue'
import type { DryRun, OtherDryRun } from '../../contract/submission/dry-run'
import { encodeName } from '../../contract/text/encode-name'
import { createMethods, type Methods, type ReadAnswer, type Route, toCall } from './methods'
import { ProblemError } from './problem'
import { routes } from './routes'
import type { Read, Transport } from './transport'

export type JobQuery = Partial<JobFilters>

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

type GroupSubmission = Pick<Submission, 'code' | 'config' | 'idempotencyKey'>

/** What a caller needs of the answer to a submission: the rest may be missing. */
export type Submitted = Partial<
  JobResult & {
    deduplicated: boolean
    project_note: string
    competition_note: string
    not_sent: string
    /** The path of its page, if it is no job. */
    page: string
  }
> &
  Pick<JobResult, 'job_id' | 'status'>

/** How a client reads the answers of the server. */
export interface AnswerReaders {
  read: ReadAnswer
  readSubmitted: Read<Submitted>
  readDryRun: Read<DryRun | OtherDryRun>
}

/**
 * gpuq's API, typed, for the browser and for Node: a method for each operation, and a few that need more than JSON.
 * Every method throws a `ProblemError` when gpuq refuses or does not answer.
 */
export function buildClient(transport: Transport, { read, ...readers }: AnswerReaders) {
  const methods = createMethods(transport, read)
  return {
    ...methods,
    jobs: {
      ...methods.jobs,
      ...specialJobMethods(transport, readers),
      ...partAddresses(transport, routes.jobs),
    },
    groups: {
      ...methods.groups,
      ...specialGroupMethods(transport, { read }),
      /** Where the files of all members can be downloaded as one archive. */
      filesUrl: (id: string) => addressOf(transport, routes.groups.files, id),
    },
    shares: { ...methods.shares, ...partAddresses(transport, routes.shares) },
    queue: { ...methods.queue, ...specialQueueMethods(methods) },
    snapshots: {
      ...methods.snapshots,
      /** Where a snapshot can be downloaded as one archive. */
      downloadUrl: (id: string) => addressOf(transport, routes.snapshots.download, id),
    },
    /** Where the answer of an operation can be downloaded. @param args its parameters in the order of the path, then its query. */
    addressOf: (route: Route, ...args: unknown[]) => addressOf(transport, route, ...args),
    /** For what has no method here. */
    transport,
  }
}

export type Client = ReturnType<typeof buildClient>

/** The query decides which of two answers comes. */
function specialQueueMethods({ queue }: Pick<Methods, 'queue'>) {
  type Job = Parameters<Methods['queue']['submit']>[0]
  return {
    submit: (job: Job, { deduplicate }: Pick<Submission, 'deduplicate'> = {}, signal?: AbortSignal) =>
      queue.submit(job, { deduplicate }, signal) as Promise<QueueSubmitted>,
    /** What a submission would do. */
    dryRun: (job: Job, signal?: AbortSignal) =>
      queue.submit(job, { dry_run: true }, signal) as Promise<DryRun>,
  }
}

/** The query decides which of two answers comes. */
function specialGroupMethods(transport: Transport, { read }: Pick<AnswerReaders, 'read'>) {
  type Answer = Awaited<ReturnType<Methods['groups']['create']>>
  const { method, path } = routes.groups.create
  return {
    /** Submits a group. */
    submit: ({ code, config, idempotencyKey }: GroupSubmission, signal?: AbortSignal) => {
      const headers: Record<string, string> = idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}
      const readGroup = read('groups', 'create') as Read<Exclude<Answer, { dry_run: true }>>
      return transport.json(path, readGroup, { method, body: toForm({ code, config }), headers, signal })
    },
    /** What a submission would do. The program may be left out. */
    dryRun: ({ code, config }: GroupSubmission, signal?: AbortSignal) => {
      const readDryRun = read('groups', 'create') as Read<Extract<Answer, { dry_run: true }>>
      const query = { dry_run: true }
      return transport.json(path, readDryRun, { method, query, body: toForm({ code, config }), signal })
    },
  }
}

/** Uploads, streams and addresses. */
function specialJobMethods(
  transport: Transport,
  { readSubmitted, readDryRun }: Pick<AnswerReaders, 'readSubmitted' | 'readDryRun'>,
) {
  return {
    submit: (submission: Submission, signal?: AbortSignal) => {
      const { code, config, wait = false, idempotencyKey, deduplicate } = submission
      const body = toForm({ code, config })
      const headers: Record<string, string> = idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}
      const { method, path } = routes.jobs.submit
      const query = { wait: wait ? undefined : false, deduplicate }
      return transport.json(path, readSubmitted, { method, query, body, headers, signal })
    },
    /** What a submission would do. The program may be left out. */
    dryRun: (submission: Pick<Submission, 'code' | 'config'>, signal?: AbortSignal) => {
      const { method, path } = routes.jobs.submit
      const query = { dry_run: true }
      return transport.json(path, readDryRun, { method, query, body: toForm(submission), signal })
    },
    /**
     * Checks a submission before its directory is uploaded, which the later submission names.
     * @throws ProblemError as the submission would. Nothing if the server cannot say it now: the submission decides.
     */
    check: async (submission: Submission, signal?: AbortSignal): Promise<void> => {
      const { method, path } = routes.jobs.check
      try {
        await transport.done(path, { method, body: toForm(submission), signal })
      } catch (error) {
        if (!(error instanceof ProblemError) || isRefusal(error, submission)) throw error
      }
    },
    /** Where the whole result can be downloaded, as JSONL or as what the job printed. */
    downloadUrl: (id: string, format: 'jsonl' | 'text') =>
      addressOf(transport, routes.jobs.result, id, { format }),
    /** The whole result as it comes. As JSON it has the digits that were printed, which parsing would change. */
    download: (id: string, format: 'json' | 'jsonl' | 'text', signal?: AbortSignal) => {
      const { path, call } = toCall(routes.jobs.result, [id, { format }, signal])
      return transport.raw(path, call)
    },
    /** Where a version of a file that the job changed in its working directory can be downloaded. */
    workingFileUrl: (id: string, fileId: string) => addressOf(transport, routes.jobs.workingFile, id, fileId),
    /** Where a file of the job's uploaded directory can be downloaded. */
    fileUrl: (id: string, path: string) => addressOf(transport, routes.jobs.fileContent, id, { path }),
    /** Where the result files and artifacts of several jobs can be downloaded as one archive. */
    filesUrl: (ids: readonly string[]) => {
      const { path } = routes.jobs.filesOfJobs
      return transport.url(path, { ids: ids.join(',') })
    },
    /** The job's live event stream, from behind the last event that was seen: for programs, which send a token. */
    events: (id: string, lastEventId: string | null, signal?: AbortSignal, tail?: number) => {
      const from: Record<string, string> = lastEventId === null ? {} : { 'last-event-id': lastEventId }
      const headers = { accept: 'text/event-stream', ...from }
      const { path, call } = toCall(routes.jobs.events, [id, { tail }, signal])
      return transport.raw(path, { ...call, headers })
    },
    /** The address of that stream: for browsers. */
    eventsUrl: (id: string) => addressOf(transport, routes.jobs.events, id),
  }
}

/**
 * Where the files in /results and the metrics of a job can be downloaded: with a login by the id of the job, or by the token of a
 * read-only link.
 */
function partAddresses(
  transport: Transport,
  { metricsCsv, artifact, artifactArchive }: Record<'metricsCsv' | 'artifact' | 'artifactArchive', Route>,
) {
  return {
    /** All values of some metrics as CSV. */
    metricsCsvUrl: (id: string, names: readonly string[], rank?: number) =>
      addressOf(transport, metricsCsv, id, { names: names.map(encodeName), rank }),
    artifactUrl: (id: string, artifactId: string, as?: 'image') =>
      addressOf(transport, artifact, id, artifactId, { as }),
    /** All files as one archive. */
    archiveUrl: (id: string) => addressOf(transport, artifactArchive, id),
  }
}

/**
 * Whether the submission would be refused too. Servers of earlier versions answer 404. Where an earlier job with the same key or
 * content may be the answer, a taken name (409) or a limit (429) does not refuse the submission.
 */
function isRefusal({ status }: ProblemError, { deduplicate, idempotencyKey }: Submission): boolean {
  const mayExist = deduplicate || idempotencyKey !== undefined
  return status >= 400 && status < 500 && status !== 404 && !(mayExist && (status === 409 || status === 429))
}

function addressOf(transport: Transport, route: Route, ...args: unknown[]): string {
  const { path, call } = toCall(route, args)
  return transport.url(path, call.query)
}

function toForm({ code, config }: Pick<Submission, 'code' | 'config'>): FormData {
  const body = new FormData()
  if (code !== undefined) body.append('code', toBlob(code, 'text/x-python'), 'solution.py')
  body.append('config_file', toBlob(config, 'application/yaml'), 'config.yaml')
  return body
}

function toBlob(content: Blob | string, type: string): Blob {
  return typeof content === 'string' ? new Blob([content], { type }) : content
}
