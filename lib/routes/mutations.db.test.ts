import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../access/testing/people'
import type { Operation } from '../contract/operations/operation'
import { allOperations } from '../contract/operations/operations'
import { testDatabase } from '../database/testing/test-database'
import { answerApi } from '../http/server/answer-api'
import { diskStore } from '../storage/disk'
import { setStorage } from '../storage/storage'
import { apiRoutes } from './routes'
import { accessMutations } from './testing/access-mutations'
import { competitionMutations } from './testing/competition-mutations'
import { jobMutations } from './testing/job-mutations'
import type { MutationCall, People } from './testing/mutation-case'
import { checkedElsewhere, unrecorded } from './testing/unrecorded'

vi.hoisted(() => {
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  vi.stubEnv('GPUQ_SMTP_URL', 'smtp://mail.example.org')
  vi.stubEnv('GPUQ_SMTP_FROM', 'gpuq@example.org')
})
const db = testDatabase()
const cases = { ...accessMutations, ...competitionMutations, ...jobMutations }
const mutations = allOperations.filter(({ method }) => method !== 'get')
const called = mutations
  .filter(({ id }) => Object.hasOwn(cases, id))
  .map((operation) => [operation.id, operation] as const)

let root: string
let people: People
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-mutations-'))
  setStorage(diskStore(root))
  people = { admin: await makePerson('admin'), ada: await makePerson(), bob: await makePerson() }
})
afterAll(() => rm(root, { recursive: true }))

/** Calls the route of an operation, as the web server does. */
async function send({ method, path }: Operation, { who, params = {}, query = '', body }: MutationCall) {
  const headers = new Headers({ 'sec-fetch-site': 'same-origin' })
  if (who) headers.set('cookie', who.cookie)
  const bytes = typeof body === 'string'
  headers.set('content-type', bytes ? 'application/octet-stream' : 'application/json')
  const sent = body === undefined ? {} : { body: bytes ? body : JSON.stringify(body) }
  const asked = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const request = new Request(`http://localhost:8001${asked}${query}`, {
    method: method.toUpperCase(),
    headers,
    ...sent,
  })
  const response = await answerApi(apiRoutes, request)
  return { status: response.status, text: await response.text() }
}

async function eventsOf(who: Person | null): Promise<number> {
  const { rows } = await db.pool.query<{ events: number }>(
    'SELECT count(*)::int AS events FROM audit_events WHERE $1::uuid IS NULL OR actor_id = $1',
    [who?.id ?? null],
  )
  return rows[0]?.events ?? 0
}

describe('every mutation of the API', () => {
  it('has a case here, a test elsewhere, or a reason why it leaves no event', () => {
    const known = [...Object.keys(cases), ...Object.keys(checkedElsewhere), ...Object.keys(unrecorded)]
    expect(known.sort()).toEqual(mutations.map(({ id }) => id).sort())
    for (const named of Object.values(checkedElsewhere)) {
      const [file = '', title = ''] = named.split(': ')
      const source = readFileSync(file, 'utf8')
      expect(source, named).toContain(`it('${title}'`)
      expect(source).toContain('audit')
    }
  })

  it.each(called)('leaves an audit event: %s', async (id, operation) => {
    const prepared = await cases[id]?.(people)
    if (!prepared) throw new Error('There is no case.')
    const before = await eventsOf(prepared.who)
    const { status, text } = await send(operation, prepared)
    expect([200, 201, 202, 204], text).toContain(status)
    expect(await eventsOf(prepared.who)).toBeGreaterThan(before)
  })
})
