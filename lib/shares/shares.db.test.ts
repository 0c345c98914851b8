import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { call } from '../access/testing/call'
import { makePerson, type Person } from '../access/testing/people'
import { finishTask } from '../cluster/tasks/finish-task'
import { appendOutput } from '../cluster/tasks/task-progress'
import { unfinishedTasks } from '../cluster/tasks/tasks'
import { placeManually } from '../cluster/testing/placed'
import { makeJob, makeNode } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { encodeMetric } from '../results/notes'
import type { CreatedShare, JobShare } from './contract'
import { shareRoutes } from './routes'
import { openShare, readSharedJob } from './shared-job'

const db = testDatabase()

let [ada, bob, admin] = [] as unknown as [Person, Person, Person]
let job: string
beforeAll(async () => {
  ;[bob, admin] = await Promise.all([makePerson(), makePerson('admin')])
})
beforeEach(async () => {
  ada = await makePerson()
  job = await makeJob({ userId: ada.id })
})

const path = (id = job) => `/api/jobs/${id}/shares`
const create = (body: unknown = {}, { cookie } = ada, id = job) =>
  call(shareRoutes.create, path(id), { method: 'POST', body, cookie, params: { id } })
const created = async (body: unknown = {}) => (await create(body)).body as CreatedShare
const list = async ({ cookie } = ada) =>
  (await call(shareRoutes.list, path(), { cookie, params: { id: job } })).body as JobShare[]
const revoke = (shareId: string, { cookie } = ada, id = job) =>
  call(shareRoutes.revoke, `${path(id)}/${shareId}`, { method: 'DELETE', cookie, params: { id, shareId } })
const tokenOf = ({ url }: CreatedShare) => url.split('/').at(-1) ?? ''

let addresses = 0
/** Each call comes from another address, so that the rate limit counts none of them. */
const open = (share: CreatedShare, token = tokenOf(share)) => openShare(token, `address ${addresses++}`)
const expectClosed = (share: CreatedShare, token?: string) =>
  expect(open(share, token)).rejects.toMatchObject({ code: 'not_found', message: /not valid.*revoked/ })

describe('a read-only link', () => {
  it('shows the job for seven days, and only its hash is stored', async () => {
    const before = Date.now()
    const share = await created()
    expect(share.url).toMatch(/^http:\/\/localhost:8001\/shared\/[\w-]{43}$/)
    const days = (Date.parse(share.expires_at) - before) / 86_400_000
    expect(Math.round(days)).toBe(7)
    expect(await open(share)).toMatchObject({ jobId: job, source: false })
    const { rows } = await db.pool.query('SELECT * FROM job_shares WHERE job_id = $1', [job])
    expect(JSON.stringify(rows)).not.toContain(tokenOf(share))
  })

  it('has no facts that only signed-in users may see, and no source', async () => {
    const shown = await readSharedJob(await open(await created()))
    expect(shown).toMatchObject({ status: 'pending', owner: ada.handle, source: null, output: '' })
    expect(JSON.stringify(shown)).not.toContain(job)
  })

  it('does not say why the job waits: an admin wrote that, or it is about other jobs', async () => {
    await db.pool.query(
      `UPDATE jobs SET reason = 'node_unavailable', reason_detail = 'secret-node: secret note' WHERE id = $1`,
      [job],
    )
    const shown = await readSharedJob(await open(await created()))
    expect(shown.reason_text).toBeNull()
    expect(JSON.stringify(shown)).not.toContain('secret')
  })

  it('shows the source if that was chosen, without values that may be secrets', async () => {
    await db.pool.query(
      `UPDATE jobs SET tags = '{"my secret tag"}', spec = spec || '{"env": {"API_KEY": "hush"}, "notify_url": "https://hush.example"}'
        WHERE id = $1`,
      [job],
    )
    const { source } = await readSharedJob(await open(await created({ source: true })))
    expect(source?.code).toBe('print(1)')
    expect(source?.config).toMatch(/API_KEY: "\(hidden\)"/)
    expect(JSON.stringify(source)).not.toMatch(/hush|secret tag/)
  })

  it('is listed without its token, and ends when it is revoked', async () => {
    const [first, second] = [await created(), await created({ source: true, expires_in_days: 90 })]
    const { url: _, ...listed } = second
    expect((await list())[0]).toEqual(listed)
    expect((await list()).map(({ id }) => id)).toEqual([second.id, first.id])
    expect(await revoke(second.id)).toMatchObject({ status: 204 })
    await expectClosed(second)
    expect(await open(first)).toMatchObject({ jobId: job })
    expect(await revoke(second.id)).toMatchObject({ status: 404 })
    expect(await revoke('no-id')).toMatchObject({ status: 404 })
  })

  it('ends when it expires', async () => {
    const share = await created()
    await db.pool.query(`UPDATE job_shares SET expires_at = now() - interval '1 second' WHERE id = $1`, [
      share.id,
    ])
    await expectClosed(share)
    expect(await list()).toEqual([])
  })

  it('is not valid with another token', async () => {
    const share = await created()
    await expectClosed(share, `${tokenOf(share)}x`)
    await expectClosed(share, '')
    await expectClosed(share, share.id)
    await expectClosed(share, job)
  })

  it('ends while the owner of the job is disabled, and with the job', async () => {
    const share = await created()
    const disable = (at: string) =>
      db.pool.query(`UPDATE users SET disabled_at = ${at} WHERE id = $1`, [ada.id])
    await disable('now()')
    await expectClosed(share)
    await disable('NULL')
    expect(await open(share)).toMatchObject({ jobId: job })
    await db.pool.query('DELETE FROM jobs WHERE id = $1', [job])
    await expectClosed(share)
  })

  it('a read-only link of an admin ends when the admin may no longer see the job', async () => {
    const helper = await makePerson('admin')
    const share = (await create({}, helper)).body as CreatedShare
    expect(await open(share)).toMatchObject({ jobId: job })
    await db.pool.query(`UPDATE users SET role = 'researcher' WHERE id = $1`, [helper.id])
    await expectClosed(share)
  })

  it('cannot be created, listed or revoked by others, nor through another job', async () => {
    const share = await created()
    expect(await create({}, bob)).toMatchObject({ status: 404 })
    expect(await list(bob)).toMatchObject({ status: 404 })
    expect(await revoke(share.id, bob)).toMatchObject({ status: 404 })
    const other = await makeJob({ userId: ada.id })
    expect(await revoke(share.id, ada, other)).toMatchObject({ status: 404 })
    expect(await revoke(share.id, admin)).toMatchObject({ status: 204 })
  })

  it.each([
    ['no time', { expires_in_days: 0 }, /expires_in_days/],
    ['more than 90 days', { expires_in_days: 91 }, /90/],
    ['an unknown key', { token: 'mine' }, /token/],
  ])('refuses %s', async (_, body, message) => {
    const answer = await create(body)
    expect(answer.status).toBe(422)
    expect(JSON.stringify(answer.body)).toMatch(message)
  })

  it('refuses a 21st link, also at the same moment', async () => {
    const all = await Promise.all(Array.from({ length: 22 }, () => create()))
    const statuses = all.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 201), 409, 409])
  })

  it('is in the audit log, without its token', async () => {
    const parts = { output: true, metrics: false, files: true, source: true }
    const share = await created(parts)
    await revoke(share.id)
    const { rows } = await db.pool.query(
      'SELECT action, target, detail FROM audit_events WHERE actor_id = $1 ORDER BY at, id',
      [ada.id],
    )
    expect(rows).toEqual([
      { action: 'job_shared', target: job, detail: { share: share.id, ...parts, expires_in_days: 7 } },
      { action: 'job_share_revoked', target: job, detail: { share: share.id } },
    ])
  })
})

describe('the page of a job that has ended', () => {
  const lines = ['{"score": 1.5}', 'hello'].map(
    (text, at) =>
      `{"type":"${at === 0 ? 'result' : 'stdout'}","t":"2026-11-23T10:00:00.000Z",${at === 0 ? `"data":${text}` : `"text":"${text}"`}}\n`,
  )

  beforeEach(async () => {
    const lease = await makeNode()
    await placeManually(lease.nodeId, job)
    const [task] = await unfinishedTasks(lease)
    if (!task) throw new Error('The task does not exist.')
    const records = Buffer.from(lines.join(''))
    await appendOutput(lease, task, { start: 0, records, stdoutConsumed: 0, stderrConsumed: 0 })
    await finishTask(lease, task, { reason: 'finished', detail: null, exitCode: 0 })
  })

  /** Reading the output fails from now on. */
  const withoutOutput = async (work: () => Promise<void>) => {
    await db.pool.query('ALTER TABLE log_chunks RENAME TO hidden_chunks')
    try {
      await work()
    } finally {
      await db.pool.query('ALTER TABLE hidden_chunks RENAME TO log_chunks')
    }
  }

  it('reads its output once, for all its links and any number of views', async () => {
    const [first, second] = [await created(), await created()]
    const shown = await readSharedJob(await open(first))
    expect(shown).toMatchObject({
      output: '{"score": 1.5}\nhello\n',
      results: ['{"score": 1.5}'],
      outputCut: false,
    })
    await withoutOutput(async () => {
      for (let view = 0; view < 70; view++)
        expect(await readSharedJob(await openShare(tokenOf(second), '192.0.2.40'))).toMatchObject({
          output: shown.output,
          results: shown.results,
        })
    })
  })

  it('shows nothing of it any more after its files were deleted, or the link ended', async () => {
    const [first, second] = [await created(), await created()]
    await readSharedJob(await open(first))
    await revoke(first.id)
    await expectClosed(first)
    await db.pool.query(`UPDATE jobs SET files_deleted = 'on_request' WHERE id = $1`, [job])
    expect(await readSharedJob(await open(second))).toMatchObject({ output: '', results: [] })
  })
})

const at = '2026-11-23T10:00:00.000Z'
/** A line of 200 KB that is a result. */
const largeResult = (number: number) => {
  const data = { number, text: 'x'.repeat(200_000) }
  return { data, record: `{"type":"result","t":"${at}","data":${JSON.stringify(data)}}\n` }
}

/** Starts the job, which has printed this so far. */
async function startWith(printed: string): Promise<void> {
  const lease = await makeNode()
  await placeManually(lease.nodeId, job)
  const [task] = await unfinishedTasks(lease)
  if (!task) throw new Error('The task does not exist.')
  const records = Buffer.from(printed)
  for (let start = 0; start < records.length; start += 1 << 20) {
    const chunk = records.subarray(start, start + (1 << 20))
    await appendOutput(lease, task, { start, records: chunk, stdoutConsumed: 0, stderrConsumed: 0 })
  }
}

describe('the page of a job that runs', () => {
  it('has the whole results in the first MiB', async () => {
    const printed = Array.from({ length: 12 }, (_, number) => largeResult(number))
    await startWith(printed.map(({ record }) => record).join(''))
    const { output, outputCut, results } = await readSharedJob(await open(await created()))
    expect(results).toEqual(printed.slice(0, 5).map(({ data }) => JSON.stringify(data)))
    expect(output.startsWith('{"number":0,')).toBe(true)
    expect(outputCut).toBe(true)
  })

  it('has no result that is not stored completely yet', async () => {
    const { data, record } = largeResult(1)
    await startWith(record + largeResult(2).record.slice(0, 100_000))
    expect((await readSharedJob(await open(await created()))).results).toEqual([JSON.stringify(data)])
  })
})

describe('the download of a read-only link', () => {
  const download = (token: string, address: string) =>
    shareRoutes.output(
      new Request(`http://localhost:8001/api/shared/${token}/output`, {
        headers: { 'x-forwarded-for': address },
      }),
      { params: Promise.resolve({ token }) },
    )

  it('does not block the pages of the links if nobody reads it', async () => {
    await startWith(`{"type":"stdout","t":"${at}","text":"${'x'.repeat(60_000)}"}\n`.repeat(5))
    const share = await created()
    const downloads = []
    for (let number = 0; number < 4; number++)
      downloads.push(await download(tokenOf(share), `192.0.2.${50 + number}`))
    const shown = await Promise.race([
      readSharedJob(await open(share)),
      new Promise<null>((resolve) => setTimeout(resolve, 3_000, null)),
    ])
    for (const { body } of downloads) await body?.cancel()
    expect(shown).toMatchObject({ status: 'running', outputCut: true })
  })

  it('is plain text that browsers save, and nothing for a wrong token', async () => {
    const answer = await download(tokenOf(await created()), '192.0.2.7')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="output.txt"')
    expect(await answer.text()).toBe('')
    expect((await download('wrong', '192.0.2.7')).status).toBe(404)
  })

  it('is limited for each address', async () => {
    const token = tokenOf(await created())
    const statuses = []
    for (let at = 0; at < 61; at++) statuses.push((await download(token, '192.0.2.8')).status)
    expect(statuses.slice(0, 60)).not.toContain(429)
    expect(statuses.at(-1)).toBe(429)
    expect((await download(token, '192.0.2.9')).status).toBe(200)
  })
})

describe('the live events of a read-only link', () => {
  const follow = (token: string, address: string, signal = new AbortController().signal) =>
    shareRoutes.events(
      new Request(`http://localhost:8001/api/shared/${token}/events`, {
        headers: { 'x-forwarded-for': address },
        signal,
      }),
      { params: Promise.resolve({ token }) },
    )
  /** All events until the server ends the stream. */
  const readAll = async (answer: Response, onEvent: (text: string) => void | Promise<void> = () => {}) => {
    let text = ''
    for await (const bytes of answer.body ?? []) {
      const event = Buffer.from(bytes).toString()
      text += event
      await onEvent(event)
    }
    return text
  }

  it('have the facts of the page and the output, but no ids and no nodes, until the job ends', async () => {
    const lease = await makeNode({ name: 'secret-node' })
    await placeManually(lease.nodeId, job)
    const [task] = await unfinishedTasks(lease)
    if (!task) throw new Error('The task does not exist.')
    const share = await created()
    const answer = await follow(tokenOf(share), '192.0.2.20')
    expect(answer.headers.get('content-type')).toMatch('text/event-stream')
    let printed = false
    const text = await readAll(answer, async (event) => {
      if (printed || !event.includes('event: job')) return
      printed = true
      const load = encodeMetric([{ index: 7, load: 0.5, memory_used_mib: 1 }], new Date())
      const line = Buffer.from('{"type":"stdout","t":"2026-11-23T10:00:00.000Z","text":"hello"}\n')
      const records = Buffer.concat([load, line, load])
      await appendOutput(lease, task, { start: 0, records, stdoutConsumed: 0, stderrConsumed: 0 })
      await finishTask(lease, task, { reason: 'finished', detail: 'a secret note', exitCode: 0 })
    })
    expect(text).toContain('"text":"hello"')
    expect(text).toContain('"status":"completed"')
    expect(text).toMatch(/event: end\ndata: \{\}\n\n$/)
    for (const hidden of [job, share.id, tokenOf(share), 'secret-node', 'secret note', 'metric', 'memory'])
      expect(text).not.toContain(hidden)
  })

  const ends = {
    'is revoked': (share: CreatedShare) => revoke(share.id),
    expires: (share: CreatedShare) =>
      db.pool.query(`UPDATE job_shares SET expires_at = now() - interval '1 second' WHERE id = $1`, [
        share.id,
      ]),
  }
  it.each(['is revoked', 'expires'] as const)('end when the link %s', async (end) => {
    const share = await created()
    const answer = await follow(tokenOf(share), '192.0.2.21')
    const text = await readAll(answer, async (event) => {
      if (event.includes('event: job')) await ends[end](share)
    })
    expect(text).toMatch(/event: closed\ndata: \{\}\n\n$/)
    expect((await follow(tokenOf(share), '192.0.2.21')).status).toBe(404)
  })

  it('are limited for each address, and free their place when they are closed', async () => {
    const token = tokenOf(await created())
    const open = Array.from({ length: 17 }, () => new AbortController())
    const statuses = []
    for (const { signal } of open) statuses.push((await follow(token, '192.0.2.22', signal)).status)
    expect(statuses).toEqual([...Array.from({ length: 16 }, () => 200), 429])
    open[0]?.abort()
    const again = new AbortController()
    expect((await follow(token, '192.0.2.22', again.signal)).status).toBe(200)
    for (const stream of [...open, again]) stream.abort()
  })
})
