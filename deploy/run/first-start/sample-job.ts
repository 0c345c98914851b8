import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { timeLimit } from '@/lib/async/time-limit'
import { type JobResult, jobResultSchema } from '@/lib/contract/jobs'

/** The sample job takes two seconds. If it takes this long, report a problem. */
const timeoutMs = 180_000

/** Submits the sample job over HTTP, as a user would, and waits for its result. */
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
    signal: timeLimit(timeoutMs, signal),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`the server returned status ${response.status}: ${text}`)
  return jobResultSchema.parse(JSON.parse(text))
}
