import { beforeAll, describe, expect, it, vi } from 'vitest'
import { call } from '../access/testing/call'
import { makePerson, makeToken, type Person } from '../access/testing/people'
import type { Lease } from '../cluster/nodes/nodes'
import { Fenced } from '../cluster/tasks/tasks'
import { placeManually } from '../cluster/testing/placed'
import { makeJob, makeNode } from '../cluster/testing/rows'
import { acquireLockOf } from '../database/locks'
import { testDatabase } from '../database/testing/test-database'
import { claimTerminalInput } from './claim-input'
import { terminalRoutes } from './routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [ada, bob, admin] = [] as unknown as [Person, Person, Person]
let lease: Lease
beforeAll(async () => {
  ;[ada, bob, admin] = [await makePerson(), await makePerson(), await makePerson('admin')]
  lease = await makeNode({ gpus: 8 })
})

let index = 0
async function running(spec: Record<string, unknown> = { tty: true }) {
  const id = await makeJob({ userId: ada.id, spec })
  return { id, task: await placeManually(lease.nodeId, id, { indices: [index++] }) }
}

/** Sends two requests that would both read the audit log before one of them writes. */
async function both(requests: [() => Promise<unknown>, () => Promise<unknown>], task: string) {
  const other = await db.pool.connect()
  await other.query('BEGIN')
  await acquireLockOf(other, 'terminalInput', task)
  const [first, second] = requests
  const sent = [first()]
  await vi.waitFor(async () => expect(await waitingLocks()).toBe(1))
  let answered = false
  sent.push(second().finally(() => (answered = true)))
  await vi.waitFor(async () => expect(answered || (await waitingLocks()) === 2).toBe(true))
  await other.query('COMMIT')
  other.release()
  await Promise.all(sent)
}

async function waitingLocks() {
  const { rowCount } = await db.pool.query(
    `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()`,
  )
  return rowCount
}

const octets = { 'content-type': 'application/octet-stream' }

async function type(person: Person, id: string, body: string, query = '') {
  const headers = { ...octets, 'sec-fetch-site': 'same-origin' }
  const path = `/api/jobs/${id}/terminal/input${query}`
  return call(terminalRoutes.type, path, {
    method: 'POST',
    cookie: person.cookie,
    headers,
    body,
    params: { id },
  })
}

async function size(person: Person, id: string, body: unknown) {
  const path = `/api/jobs/${id}/terminal/size`
  return call(terminalRoutes.resize, path, { method: 'POST', cookie: person.cookie, body, params: { id } })
}

const taken = async (task: string) => (await claimTerminalInput(lease, task, true)).input.toString()

describe("a running job's terminal", () => {
  it('passes input to the worker of the task, in order and once', async () => {
    const { id, task } = await running()
    for (const key of ['a', 'b', '\u0003']) expect(await type(ada, id, key)).toMatchObject({ status: 204 })
    expect((await claimTerminalInput(lease, task, false)).input).toHaveLength(0)
    await expect(claimTerminalInput({ ...lease, leaseId: admin.id }, task, true)).rejects.toThrow(Fenced)
    expect(await taken(task)).toBe('ab\u0003')
    expect(await taken(task)).toBe('')
  })

  it('receives its size, within limits', async () => {
    const { id, task } = await running()
    expect((await claimTerminalInput(lease, task, false)).size).toBeNull()
    expect(await size(ada, id, { columns: 120, rows: 40 })).toMatchObject({ status: 204 })
    expect((await claimTerminalInput(lease, task, false)).size).toEqual({ columns: 120, rows: 40 })
    for (const wrong of [{ columns: 0, rows: 1 }, { columns: 1, rows: 1e9 }, { columns: 80 }, []]) {
      expect(await size(ada, id, wrong)).toMatchObject({ status: 422 })
    }
  })

  it('accepts input from its owner and from admins, and records an admin once', async () => {
    const { id, task } = await running()
    expect(await type(bob, id, 'x')).toMatchObject({ status: 404 })
    expect(await size(bob, id, { columns: 1, rows: 1 })).toMatchObject({ status: 404 })
    const { token } = await makeToken(ada, ['read'])
    const reading = { method: 'POST', token, headers: octets, body: 'x', params: { id } }
    expect(await call(terminalRoutes.type, `/api/jobs/${id}/terminal/input`, reading)).toMatchObject({
      status: 403,
    })
    expect(await taken(task)).toBe('')
    await both([() => type(admin, id, 'x'), () => size(admin, id, { columns: 120, rows: 40 })], task)
    await type(admin, id, 'y')
    expect(await taken(task)).toBe('xy')
    const { rows } = await db.pool.query(`SELECT target FROM audit_events WHERE action = 'terminal_used'`)
    expect(rows).toEqual([{ target: id }])
  })

  it('explains the refusal if the job has no terminal or does not run', async () => {
    const waiting = await makeJob({ userId: ada.id, spec: { tty: true } })
    const without = await running({})
    for (const id of [waiting, without.id]) {
      expect(await type(ada, id, 'x')).toMatchObject({ status: 409, body: { code: 'conflict' } })
      expect(await size(ada, id, { columns: 80, rows: 24 })).toMatchObject({ status: 409 })
    }
    const { id } = await running()
    expect(await type(ada, id, 'x', '?rank=1')).toMatchObject({ status: 409 })
    expect(await type(ada, id, 'x', '?rank=x')).toMatchObject({ status: 422 })
    expect(await type(ada, id, '')).toMatchObject({ status: 400 })
    expect(await type(ada, id, 'x'.repeat(64 * 1024 + 1))).toMatchObject({ status: 413 })
    const json = { method: 'POST', cookie: ada.cookie, body: 'x', params: { id } }
    expect(await call(terminalRoutes.type, `/api/jobs/${id}/terminal/input`, json)).toMatchObject({
      status: 415,
    })
  })

  it('holds at most one mebibyte of unread input, also from concurrent clients', async () => {
    const { id, task } = await running()
    const piece = 'x'.repeat(64 * 1024)
    const answers = await Promise.all(Array.from({ length: 24 }, () => type(ada, id, piece)))
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(16)
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.headers.get('retry-after')).toBe('1')
    expect(await taken(task)).toBe(piece)
    expect(await type(ada, id, piece)).toMatchObject({ status: 204 })
  })
})
