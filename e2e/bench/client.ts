import { Agent, type IncomingMessage, request } from 'node:http'
import type { System } from '../system/start-system'

const agent = new Agent({ keepAlive: true, maxSockets: 256 })
const boundary = 'gpuq-bench-boundary'

export interface Answer {
  status: number
  headers: IncomingMessage['headers']
  body: string
}

export interface Call {
  method?: string
  headers?: Record<string, string>
  body?: Buffer
}

/** Sends a request over a kept-alive connection and reads the complete response. */
export function call(url: string, { method = 'GET', headers = {}, body }: Call = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method, headers: { ...headers, ...(body ? { 'content-length': body.length } : {}) }, agent },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        )
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

export const bearer = (system: System) => ({ authorization: `Bearer ${system.adminToken}` })

/** An upload as curl sends it, with more lines for its config. */
export function upload(system: System, code: string, moreConfig = ''): [url: string, call: Call] {
  const part = (name: string, file: string, text: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${file}"\r\nContent-Type: application/octet-stream\r\n\r\n${text}\r\n`
  const config = `competition_id: bench\nproject_id: bench\nexpected_time: 60\n${moreConfig}`
  const body = Buffer.from(
    `${part('code', 'solution.py', code)}${part('config_file', 'config.yaml', config)}--${boundary}--\r\n`,
  )
  const headers = { ...bearer(system), 'content-type': `multipart/form-data; boundary=${boundary}` }
  return [`${system.url}/api/submit?wait=false`, { method: 'POST', headers, body }]
}

/** Resolves when the job's live stream delivers its first output. */
export function untilFirstOutput(system: System, jobId: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(`${system.url}/api/jobs/${jobId}/events`, { headers: bearer(system) }, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8')
        if (!text.includes('event: output')) return
        sent.destroy()
        resolve()
      })
      answer.on('error', () => {})
      answer.on('end', () => reject(new Error(`the stream ended without output: ${text}`)))
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Signs in the admin as a browser does and returns the cookies. */
export async function signIn(system: System): Promise<string> {
  const csrf = await call(`${system.url}/api/auth/csrf`)
  const cookies = cookiesOf(csrf)
  const { csrfToken } = JSON.parse(csrf.body) as { csrfToken: string }
  const form = new URLSearchParams({
    csrfToken,
    login: system.adminEmail,
    password: system.adminPassword,
    json: 'true',
  })
  const signedIn = await call(`${system.url}/api/auth/callback/credentials`, {
    method: 'POST',
    headers: { cookie: cookies, 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(form.toString()),
  })
  return [cookies, cookiesOf(signedIn)].join('; ')
}

function cookiesOf({ headers }: Answer): string {
  return (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]).join('; ')
}

export function closeConnections(): void {
  agent.destroy()
}
