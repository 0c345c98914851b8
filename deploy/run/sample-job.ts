import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type JobResult, jobResultSchema } from '@/lib/contract/jobs'

/** A machine that needs longer for a job of two seconds has a problem worth telling. */
const longestMs = 180_000

/** Submits the sample job as a user would, over HTTP, and waits for its result. */
export async function submitSample(
  url: string,
  token: string,
  sampleDir: string,
  signal: AbortSignal,
): Promise<JobResult> {
  const form = new FormData()
  for (const [part, path] of Object.entries({ code: 'solution.py', config_file: 'config.yaml' })) {
    form.append(part, new Blob([await readFile(join(sampleDir, path))]), basename(path))
  }
  const response = await fetch(`${url}/api/submit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
    signal: AbortSignal.any([signal, AbortSignal.timeout(longestMs)]),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`the server answered ${response.status}: ${text}`)
  return jobResultSchema.parse(JSON.parse(text))
}
