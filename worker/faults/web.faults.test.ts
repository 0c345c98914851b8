import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { expect } from 'vitest'
import { counting, expectCounted } from '../testing/adoption'
import { DatabaseGate } from '../testing/database-gate'
import type { Lab } from '../testing/lab'
import type { LabFixtures } from '../testing/lab-test'
import { makeEnvironment, makeSender, uploadForm } from '../testing/upload'
import { WebProcess } from '../testing/web-process'
import { testFault } from './fault'
import type { Moment } from './moment'

/** A lab with a web server, which reaches the database through a gate. */
async function openWeb({ openLab }: Pick<LabFixtures, 'openLab'>) {
  const lab = await openLab()
  await makeEnvironment(lab)
  const gate = await DatabaseGate.open(lab.database.url)
  lab.afterwards(async () => gate.close())
  await lab.startWorker({ node: 'a', gpus: 2 })
  return { lab, gate, web: await WebProcess.start(lab, gate.through) }
}
type Place = Awaited<ReturnType<typeof openWeb>>

interface Upload {
  lines: number
  body: Buffer
  headers: Record<string, string>
  userId: string
}

/** An upload of a new user, with the token in the config and an idempotency key. */
async function prepare(lab: Lab, moment: Moment): Promise<Upload> {
  const { token, userId } = await makeSender(lab)
  const lines = moment.between(1, 40)
  const padding = `# ${'x'.repeat(moment.between(0, 900_000))}\n`
  const keys = { cpu: 0.1, memory_gb: 0.1, max_retries: 0 }
  const form = uploadForm(token, `${padding}${counting(lines, 2)}`, keys)
  const encoded = new Response(form)
  const body = Buffer.from(await encoded.arrayBuffer())
  const headers = {
    'content-type': encoded.headers.get('content-type') ?? '',
    'content-length': String(body.length),
    'idempotency-key': randomUUID(),
  }
  return { lines, body, headers, userId }
}

/** Sends an upload, or only the first bytes of it. Nobody waits for the answer. */
async function begin({ web }: Place, { body, headers }: Upload, bytes = body.length): Promise<void> {
  const sending = request(`${web.url}/api/submit?wait=0`, { method: 'POST', headers, agent: false })
  // The server is killed.
  sending.on('error', () => {})
  await new Promise((resolve) => sending.write(body.subarray(0, bytes), resolve))
}

async function jobsOf(lab: Lab, userId: string): Promise<string[]> {
  const { rows } = await lab.database.pool.query<{ id: string }>('SELECT id FROM jobs WHERE user_id = $1', [
    userId,
  ])
  return rows.map(({ id }) => id)
}

/** Starts the web server again and repeats the upload, twice: it is one job, which completes. */
async function expectOneJob({ lab, web }: Place, upload: Upload): Promise<string> {
  const { body, headers, lines, userId } = upload
  await web.startAgain()
  const answers: string[] = []
  for (let time = 0; time < 2; time++) {
    const response = await fetch(`${web.url}/api/submit?wait=0`, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
    })
    expect(response.ok, await response.clone().text()).toBe(true)
    const { job_id } = (await response.json()) as { job_id: string }
    answers.push(job_id)
  }
  expect(new Set(answers).size).toBe(1)
  const [job = ''] = answers
  expect(await jobsOf(lab, userId)).toEqual([job])
  expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
  await expectCounted(lab, job, lines)
  expect(lab.tokens.filter((token) => web.log.includes(token))).toEqual([])
  return job
}

testFault({
  name: 'The web server is killed in mid-upload',
  checked:
    'the repeated upload is one job, which completes with exact output; no token in the log of the web server',
  places: 2,
  open: openWeb,
  async happen(place, moment) {
    const upload = await prepare(place.lab, moment)
    await begin(place, upload, moment.between(1, upload.body.length - 1))
    await moment.wait(200)
    moment.strike()
    await place.web.kill()
    expect(await jobsOf(place.lab, upload.userId)).toEqual([])
    await expectOneJob(place, upload)
  },
})

testFault({
  name: 'The web server is killed after the commit, before the reply',
  checked: 'the job is stored; the repeated upload is the same job, which completes once with exact output',
  places: 2,
  open: openWeb,
  async happen(place, moment) {
    const upload = await prepare(place.lab, moment)
    const committed = place.gate.holdCommit(/INSERT INTO jobs/, 'after')
    await begin(place, upload)
    await committed
    const [stored] = await place.lab.jobs.until('the job is stored', async () => {
      const found = await jobsOf(place.lab, upload.userId)
      return found.length > 0 && found
    })
    await moment.wait(300)
    moment.strike()
    await place.web.kill()
    expect(await expectOneJob(place, upload)).toBe(stored)
  },
})
