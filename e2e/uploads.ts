import { until } from '@/worker/testing/until'
import { type Answer, bearer, call } from './http-call'
import type { TestUser } from './test-users'

/** One part of a form on the wire. */
export interface Part {
  name: string
  content: string | Buffer
  /** Null: the part is a field. */
  filename?: string | null
  /** Additional headers of the part. */
  headers?: string[]
}

const boundary = 'boundary-of-the-tests'
export const formType = `multipart/form-data; boundary=${boundary}`

/** The body of a form, byte for byte. */
export function formBody(parts: readonly Part[], end = `--${boundary}--\r\n`): Buffer {
  const pieces = parts.flatMap(({ name, content, filename = 'file', headers = [] }) => {
    const file = filename === null ? '' : `; filename="${filename}"`
    const lines = [`--${boundary}`, `Content-Disposition: form-data; name="${name}"${file}`, ...headers]
    return [Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')]
  })
  return Buffer.concat([...pieces, Buffer.from(end)])
}

/** A config with minimal requests, so that the jobs of many tests fit side by side. */
export function configText(more: Record<string, unknown> = {}): string {
  const config = {
    competition_id: 'e2e',
    project_id: 'e2e',
    expected_time: 60,
    gpu_count: 0,
    cpu: 0.5,
    memory_gb: 0.25,
    ...more,
  }
  return Object.entries(config)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('')
}

/**
 * For a job that runs until the test ends it: long enough that its own time limit never ends it, even in a
 * slow test.
 */
export const longRunning = { max_time: 3600 }

/** A program that prints 300 lines and goes on. */
export const printing = `
import time
for line in range(1, 301):
    print(f"line {line}", flush=True)
time.sleep(3600)`

/** A job that waits forever: only a node that is absent has a GPU of that size. */
export const waitingConfig = configText({ gpu_count: 1, gpu_memory_gb: 1000 })

/** The two parts of an upload. */
export const uploadParts = (code: string | Buffer, config: string | Buffer): Part[] => [
  { name: 'code', content: code, filename: 'solution.py' },
  { name: 'config_file', content: config, filename: 'config.yaml' },
]

interface Upload {
  headers?: Record<string, string>
  /** The query string. Without it, the response is immediate. */
  query?: string
}

/** Sends parts with the user's token in the header. */
export function sendParts(
  { token }: Pick<TestUser, 'token'>,
  parts: readonly Part[],
  { headers = {}, query = '?wait=false' }: Upload = {},
): Promise<Answer> {
  return call(`/api/submit${query}`, {
    method: 'POST',
    headers: { ...bearer(token), 'content-type': formType, ...headers },
    body: formBody(parts),
  })
}

/** Submits a job and returns its id. */
export async function submit(
  person: TestUser,
  code: string,
  config: string = configText(),
  { wait = false }: { wait?: boolean } = {},
): Promise<string> {
  const { job_id } = await person.client.jobs.submit({ code, config, wait })
  return job_id
}

/** The name of an ended job's file. It is stored a moment after the job's end. */
export function fileOf({ client }: Pick<TestUser, 'client'>, jobId: string): Promise<string> {
  return until(`job ${jobId} has a result file`, async () => (await client.jobs.get(jobId)).result_file)
}
