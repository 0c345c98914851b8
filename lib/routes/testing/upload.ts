import type { Answer } from '../../access/testing/call'
import type { Person } from '../../access/testing/people'
import { submissionRoutes } from '../submission/submission'

export interface Parts {
  /** Null omits the part. */
  code?: string | null
  /** Optional keys of the config. */
  config?: string
  competition?: string
}

/** Uploads a job as a browser does. */
export async function upload(
  person: Person,
  { code = 'print(1)', config = '', competition = 'c' }: Parts = {},
  query = 'wait=false',
  headers: Record<string, string> = {},
  signal: AbortSignal | null = null,
): Promise<Answer & { body: Record<string, unknown> }> {
  const form = new FormData()
  if (code !== null) form.append('code', new Blob([code]), 'solution.py')
  const text = `competition_id: ${competition}\nproject_id: p\nexpected_time: 10\n${config}`
  form.append('config_file', new Blob([text]), 'config.yaml')
  const request = new Request(`http://localhost:8001/api/submit?${query}`, {
    method: 'POST',
    headers: { cookie: person.cookie, 'sec-fetch-site': 'same-origin', ...headers },
    body: form,
    signal,
  })
  const response = await submissionRoutes.submit(request, { params: Promise.resolve({}) })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
