import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { stringify } from 'yaml'
import { authenticate } from '../../access/authenticate'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { tools } from '../../agents/tools'
import { makeJob, makeNode } from '../../cluster/testing/rows'
import { GpuqError } from '../../contract/errors'
import { testDatabase } from '../../database/testing/test-database'
import { loadEnv } from '../../env'
import { setFreeBytes } from '../../storage/free-space'
import { queueRoutes } from '../queue/queue'
import { submissionRoutes } from './submission'

/** Every way to submit a job refuses the same fault with the same code and sentence, and checks in the same order. */

vi.hoisted(() => {
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  vi.stubEnv('GPUQ_WRITES_PER_MINUTE', '100000')
})
const db = testDatabase()

type Keys = Readonly<Record<string, unknown>>
interface Refusal {
  code: string
  text: string
  errors: { path: string; message: string }[]
}

const key = 'a-key'
/** The person who submits: a researcher whose limits must be counted, or an admin without limits. */
let person: Person
let people: Record<'researcher' | 'admin', Person>
/** A job of the person that has failed. */
let failed: string

beforeAll(async () => {
  people = { researcher: await makePerson(), admin: await makePerson('admin') }
  await makeNode({ gpus: 8 })
  await makeJob()
})

const headers = (given: Keys): Record<string, string> =>
  'idempotency_key' in given ? { 'idempotency-key': key } : {}

async function upload(
  handler: typeof submissionRoutes.submit | typeof submissionRoutes.check,
  query: string,
  given: Keys,
): Promise<unknown> {
  const { idempotency_key: _, ...keys } = given
  const form = new FormData()
  const config = { competition_id: 'c', project_id: 'p', expected_time: 60, command: 'true', ...keys }
  form.append('config_file', new Blob([stringify(config)]), 'config.yaml')
  const request = new Request(`http://localhost:8001/api/submit${query}`, {
    method: 'POST',
    headers: { cookie: person.cookie, 'sec-fetch-site': 'same-origin', ...headers(given) },
    body: form,
  })
  const answer = await handler(request, { params: Promise.resolve({}) })
  return answer.status < 300 ? null : answer.json()
}

async function queue(query: string, given: Keys): Promise<unknown> {
  const { idempotency_key: _, ...keys } = given
  const body = { project_id: 'p', command: 'true', ...keys }
  const { cookie } = person
  const sent = { method: 'POST', cookie, headers: headers(given), body }
  const answer = await call(queueRoutes.submit, `/api/queue/submit${query}`, sent)
  return answer.status < 300 ? null : answer.body
}

async function useTool(name: string, given: Keys): Promise<unknown> {
  const actor = await authenticate(
    new Request('http://localhost:8001', { headers: { cookie: person.cookie } }),
  )
  const tool = tools.find((one) => one.name === name)
  if (!actor || !tool) throw new Error('There is no such person or tool.')
  const origin = 'http://localhost:8001'
  const input = { name: 'a job of an agent', gpu_count: 1, project_id: 'p', command: 'true', ...given }
  try {
    await tool.run({ actor, origin, signal: new AbortController().signal }, input)
    return null
  } catch (error) {
    if (!(error instanceof GpuqError)) throw error
    const { code, message: detail, errors } = error
    return { code, detail, errors }
  }
}

const ways = {
  upload: (keys: Keys) => upload(submissionRoutes.submit, '?wait=false', keys),
  queue: (keys: Keys) => queue('', keys),
  CreateGPUJob: (keys: Keys) => useTool('CreateGPUJob', keys),
  'upload, dry run': (keys: Keys) => upload(submissionRoutes.submit, '?dry_run=true', keys),
  'upload, check': (keys: Keys) => upload(submissionRoutes.check, '', keys),
  'queue, dry run': (keys: Keys) => queue('?dry_run=true', keys),
  PreviewGPUJobs: (keys: Keys) => useTool('PreviewGPUJobs', keys),
} as const
type Way = keyof typeof ways
const allWays = Object.keys(ways) as Way[]
const real: readonly Way[] = ['upload', 'queue', 'CreateGPUJob']
const withoutTools = allWays.filter((way) => !way.includes('GPUJob'))

/**
 * Without the ids of jobs, and without the place of a wrong value: in a config it is a line, and the name of a variable is not repeated,
 * because it may be a piece of the token.
 */
function normalized(refused: unknown): Refusal | null {
  if (refused === null) return null
  const {
    code,
    detail,
    errors = [],
  } = refused as { code: string; detail: string; errors?: Refusal['errors'] }
  const text = detail.replace(/^config_file, line \d+: /, '').replace(/^(env|mounts)\.[^:]+: /, '$1: ')
  const withoutIds = (one: string) => one.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
  const shown = errors.map(({ path, message }) => ({
    path: path.split('.', 1).join(),
    message: withoutIds(message),
  }))
  return { code, text: withoutIds(text), errors: shown }
}

interface Fault {
  name: string
  keys: Keys
  /** The ways that have the keys; left out: all. */
  among?: readonly Way[]
  arrange?: () => unknown
}

/** A value that no job can have. */
const values: Fault[] = [
  { name: 'too many nodes', keys: { instance_count: 9 } },
  { name: 'a priority that no job has', keys: { priority: 101 } },
  { name: 'an empty name', keys: { name: ' ' } },
  { name: 'a name of two lines', keys: { name: 'a\nb' } },
  { name: 'an id with a space', keys: { project_id: 'a b' } },
  { name: 'a variable that is no name', keys: { env: { '1A': 'x' } } },
  { name: 'a reserved variable', keys: { env: { GPUQ_JOB_ID: '0' } } },
  { name: 'a variable that gpuq sets', keys: { env: { MASTER_ADDR: 'x' }, instance_count: 2 } },
  { name: 'a mount over files of the image', keys: { mounts: { '/proc': 'data' } } },
  { name: 'a relative working directory', keys: { working_directory: 'a/b' } },
  { name: 'a dependency that is no id', keys: { depends_on: ['x'] } },
  { name: 'a time that is no duration', keys: { max_time: 'soon' } },
  { name: 'a time of more than 30 days', keys: { max_time: '31d' } },
  { name: 'an archive that is no name', keys: { archive: 'Not A Name' } },
  { name: 'an empty command', keys: { command: ' ' } },
  { name: 'GPU memory of nothing', keys: { gpu_memory_gb: 0.01 } },
  { name: 'a part of two GPUs', keys: { gpu_fraction: 0.5, gpu_count: 2 }, among: withoutTools },
  { name: 'too many retries', keys: { max_retries: 11 }, among: withoutTools },
]

const userLimits = (set: string) => db.pool.query(`UPDATE users SET ${set} WHERE id = $1`, [person.id])

/** What depends on the server, in the order in which it is checked. */
const states: Fault[] = [
  { name: 'a job of Slurm without Slurm', keys: { depends_on: ['slurm:12'] } },
  { name: 'an unknown environment', keys: { environment: 'nowhere' } },
  {
    name: 'a project that must exist',
    keys: { project_id: 'absent' },
    arrange: () => db.pool.query('UPDATE policies SET require_existing_projects = true'),
  },
  { name: 'a key of another job', keys: { idempotency_key: key }, among: real, arrange: useKey },
  { name: 'an unknown job', keys: { depends_on: ['01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e61'] } },
  {
    name: 'a failed job',
    keys: {
      get depends_on() {
        return [failed]
      },
    },
  },
  {
    name: 'too many active jobs',
    keys: {},
    arrange: async () => {
      await makeJob({ userId: person.id, project: 'p' })
      await userLimits('max_active_jobs = 1')
    },
  },
  {
    name: 'too high a priority',
    keys: { priority: 50 },
    arrange: () => userLimits(`job_limits = '{"max_priority": 10}'`),
  },
  { name: 'more memory than any GPU has', keys: { gpu_memory_gb: 999 } },
  { name: 'a full disk', keys: {}, arrange: () => setFreeBytes(() => Promise.resolve(0)) },
  {
    name: 'an exhausted quota',
    keys: {},
    arrange: () =>
      db.pool.query(`INSERT INTO storage_changes (user_id, kind, bytes) VALUES ($1, 'results', 1e15::int8)`, [
        person.id,
      ]),
  },
  { name: 'an unknown directory', keys: { archive: 'ab'.repeat(32) } },
  { name: 'an unknown snapshot', keys: { mounts: { '/data': 'cifar' } } },
  {
    name: 'a working directory in the shared directory',
    keys: { working_directory: '/workspace/a' },
    arrange: () => loadEnv({ GPUQ_WORKSPACES: '*/p=/workspace' }),
  },
  {
    name: 'a full queue',
    keys: {},
    arrange: () => db.pool.query('UPDATE policies SET max_queue_size = 0'),
  },
]

async function useKey(): Promise<void> {
  const job = await makeJob({ userId: person.id, project: 'p' })
  await db.pool.query(
    `INSERT INTO idempotency_keys (user_id, key, body_hash, job_id) VALUES ($1, $2, 'other', $3)`,
    [person.id, key, job],
  )
}

async function reset(): Promise<void> {
  setFreeBytes(null)
  loadEnv({})
  await db.pool.query(`TRUNCATE storage_changes, idempotency_keys, jobs, active_job_changes CASCADE`)
  await db.pool.query('UPDATE policies SET max_queue_size = 1000, require_existing_projects = false')
  const of = person === people.admin ? 'NULL' : '100000'
  await userLimits(
    `submissions_per_minute = ${of}, max_active_jobs = ${of}, job_limits = '{"max_priority": 100}'`,
  )
  failed = await makeJob({ userId: person.id, project: 'p' })
  await db.pool.query(
    `UPDATE jobs SET status = 'failed', reason = 'exit_code', exit_code = 1, ended_at = now() WHERE id = $1`,
    [failed],
  )
}

/** How each way refuses some faults together. Also checks that nothing was stored. */
async function refusals(faults: readonly Fault[]): Promise<Map<Way, Refusal | null>> {
  await reset()
  for (const { arrange } of faults) await arrange?.()
  const given = Object.assign({}, ...faults.map(({ keys }) => keys)) as Keys
  const among = allWays.filter((way) => faults.every(({ among: some = allWays }) => some.includes(way)))
  const { rowCount: jobs } = await db.pool.query('SELECT FROM jobs')
  const found = new Map<Way, Refusal | null>()
  for (const way of among) found.set(way, normalized(await ways[way](given)))
  expect((await db.pool.query('SELECT FROM jobs')).rowCount).toBe(jobs)
  return found
}

describe.each(['researcher', 'admin'] as const)('the submission of a %s', (role) => {
  beforeAll(async () => {
    person = people[role]
    await reset()
    for (const way of real) expect(await ways[way]({})).toBeNull()
  })
  afterEach(reset)

  it.each([...values, ...states])(
    'a submission with $name is refused in the same words by every way in',
    async (fault) => {
      const found = await refusals([fault])
      const expected = found.get('upload')
      expect(expected).not.toBeNull()
      for (const [way, refusal] of found) expect(refusal, way).toEqual(expected)
    },
  )

  it.each(states.slice(0, -1))(
    'a submission with $name and a later fault is refused for the first by every way in',
    async (first) => {
      for (const second of states.slice(states.indexOf(first) + 1)) {
        if (Object.keys(second.keys).some((name) => name in first.keys)) continue
        const alone = (await refusals([first])).get('upload')
        const found = await refusals([first, second])
        for (const [way, refusal] of found) expect(refusal, `${way}: ${second.name}`).toEqual(alone)
      }
    },
  )
})
