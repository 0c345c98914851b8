import { submitResultSchema } from '../../contract/jobs'
import { encodeName } from '../../contract/metrics/job-metrics'
import { jobGroup } from '../../contract/operations/job-group'
import type { Operation } from '../../contract/operations/operation'
import { type Args, createMethods, toCall } from './methods'
import { type ClientOptions, createTransport, type Transport } from './transport'

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

/** What a caller needs of the answer to a submission: the rest may be missing. */
const submittedSchema = submitResultSchema.partial().required({ job_id: true, status: true })

/**
 * The part of the client for jobs. The schemas of all operations take longer to make than a short command of the command line
 * takes otherwise.
 */
export function createJobsClient(options: ClientOptions = {}) {
  const transport = createTransport(options)
  const { jobs } = createMethods(transport, { jobs: jobGroup })
  return {
    jobs: { ...jobs, ...specialMethods(transport) },
    /** For what has no method here. */
    transport,
  }
}

export type JobsClient = ReturnType<typeof createJobsClient>

/** Uploads, streams and addresses. */
function specialMethods(transport: Transport) {
  return {
    submit: (submission: Submission, signal?: AbortSignal) => {
      const { code, config, wait = false, idempotencyKey, deduplicate } = submission
      const body = new FormData()
      if (code !== undefined) body.append('code', toBlob(code, 'text/x-python'), 'solution.py')
      body.append('config_file', toBlob(config, 'application/yaml'), 'config.yaml')
      const headers: Record<string, string> = idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}
      const { method, path } = jobGroup.submit
      const query = { wait: wait ? undefined : false, deduplicate }
      return transport.json(path, submittedSchema, { method, query, body, headers, signal })
    },
    /** Where the whole result can be downloaded, as JSONL or as what the job printed. */
    downloadUrl: (id: string, format: 'jsonl' | 'text') =>
      addressOf(transport, jobGroup.result, id, { format }),
    /** The whole result as it comes. */
    download: (id: string, format: 'jsonl' | 'text', signal?: AbortSignal) => {
      const { path, call } = toCall(jobGroup.result, [id, { format }, signal])
      return transport.raw(path, call)
    },
    /** Where all values of some metrics can be downloaded as CSV. */
    metricsCsvUrl: (id: string, names: readonly string[], rank?: number) =>
      addressOf(transport, jobGroup.metricsCsv, id, { names: names.map(encodeName), rank }),
    artifactUrl: (id: string, artifactId: string, as?: 'image') =>
      addressOf(transport, jobGroup.artifact, id, artifactId, { as }),
    /** Where a version of a file that the job changed in its working directory can be downloaded. */
    workingFileUrl: (id: string, fileId: string) => addressOf(transport, jobGroup.workingFile, id, fileId),
    /** Where a file of the job's uploaded directory can be downloaded. */
    fileUrl: (id: string, path: string) => addressOf(transport, jobGroup.fileContent, id, { path }),
    /** Where the result files and artifacts of several jobs can be downloaded as one archive. */
    filesUrl: (ids: readonly string[]) => {
      const { path } = jobGroup.filesOfJobs
      return transport.url(path, { ids: ids.join(',') })
    },
    /** Where all files can be downloaded as one archive. */
    archiveUrl: (id: string) => addressOf(transport, jobGroup.artifactArchive, id),
    /** The job's live event stream, from behind the last event that was seen: for programs, which send a token. */
    events: (id: string, lastEventId: string | null, signal?: AbortSignal, tail?: number) => {
      const from: Record<string, string> = lastEventId === null ? {} : { 'last-event-id': lastEventId }
      const headers = { accept: 'text/event-stream', ...from }
      const { path, call } = toCall(jobGroup.events, [id, { tail }, signal])
      return transport.raw(path, { ...call, headers })
    },
    /** The address of that stream: for browsers. */
    eventsUrl: (id: string) => addressOf(transport, jobGroup.events, id),
  }
}

/** The address of an operation without a body. */
export function addressOf<Op extends Operation>(
  transport: Transport,
  operation: Op,
  ...args: Args<Op>
): string {
  const { path, call } = toCall(operation, args)
  return transport.url(path, call.query)
}

function toBlob(content: Blob | string, type: string): Blob {
  return typeof content === 'string' ? new Blob([content], { type }) : content
}
