import { createHash, randomUUID } from 'node:crypto'
import { frameHeader } from '@/lib/contract/archives/archive-frames'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import { persist } from './client'
import type { AcceptedJob, Ledger } from './ledger'
import type { Scenario } from './scenarios'

/** How often a system fault may repeat a job. The faults are many, so that fewer retries would fail correct jobs. */
const retries = 10
/** A busy machine may slow a job down many times: only the jobs that test the limit reach it. */
const base = { expected_time: 30, max_time: 1800, cpu: 0.1, memory_gb: 0.25, max_retries: retries }

export interface Submitting {
  client: Client
  project: string
  ledger: Ledger
}

/** Submits a job until the server accepts it. A repeated request has the same idempotency key. */
export async function submit(
  { client, project, ledger }: Submitting,
  scenario: Scenario,
): Promise<AcceptedJob> {
  const archive = scenario.directory && (await uploadDirectory(client, project, scenario.directory))
  const config = JSON.stringify({
    competition_id: 'soak',
    project_id: project,
    ...base,
    ...scenario.config,
    ...(archive && { archive }),
  })
  const idempotencyKey = randomUUID()
  const { code, wait } = scenario
  const send = () =>
    client.jobs.submit({ ...(code && { code }), config, idempotencyKey, ...(wait && { wait }) })
  const started = performance.now()
  let attempts = 0
  const first = await persist(() => {
    attempts++
    return send()
  })
  if (attempts === 1 && !wait) ledger.submissionMs.push(performance.now() - started)
  const job = ledger.accept(first.job_id, scenario, client)
  if (wait && first.status === 'completed' && first.stdout !== scenario.expected.stdout?.[0])
    ledger.problem(
      `job ${job.id} (${scenario.kind}): the response has the output ${JSON.stringify(first.stdout)}`,
    )
  if (scenario.repeated)
    await repeat(send, { client, code: 'print("another")', config, idempotencyKey }, job, ledger)
  return job
}

/** The same request is the same job. Another body with the same key is refused. */
async function repeat(
  send: () => Promise<{ job_id: string }>,
  { client, ...other }: { client: Client; code: string; config: string; idempotencyKey: string },
  { id }: AcceptedJob,
  ledger: Ledger,
): Promise<void> {
  const again = await Promise.all([1, 2, 3].map(() => persist(send)))
  const others = again.filter(({ job_id }) => job_id !== id)
  if (others.length > 0) ledger.problem(`job ${id}: a repeated submission became another job`)
  const answer = await persist(() => client.jobs.submit(other)).catch((error: unknown) => error)
  if (!(answer instanceof ProblemError))
    ledger.problem(`job ${id}: another body was accepted under the same key`)
}

/** Uploads a directory, and returns the reference for a config. Content that is missing afterwards is sent again. */
async function uploadDirectory(
  client: Client,
  project: string,
  files: Record<string, string>,
): Promise<string> {
  const entries = Object.entries(files).map(([path, text]) => {
    const content = Buffer.from(text)
    return {
      path,
      bytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
      content,
    }
  })
  return persist(async () => {
    const listed = entries.map(({ content, ...entry }) => entry)
    const { archive, missing } = await client.archives.register({ project_id: project, entries: listed })
    const wanted = entries.filter(({ sha256 }) => missing.includes(sha256))
    if (wanted.length === 0) return archive
    const frames = wanted.flatMap(({ sha256, bytes, content }) => [frameHeader(sha256, bytes), content])
    await client.archives.send(Buffer.concat(frames), { project_id: project })
    throw new Error('sent, to be registered again')
  })
}
