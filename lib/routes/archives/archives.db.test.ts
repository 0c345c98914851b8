import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, makeToken, type Person } from '../../access/testing/people'
import { makeJob } from '../../cluster/testing/rows'
import { frameHeader } from '../../contract/archives/archive-frames'
import { archiveStateSchema } from '../../contract/archives/archives'
import { parseConfig } from '../../contract/config/config'
import { testDatabase } from '../../database/testing/test-database'
import { env } from '../../env'
import { accept } from '../../jobs/submission/accept'
import { archiveRoutes } from './archives'

const dataDir = vi.hoisted(() => {
  const directory = `/tmp/gpuq-archives-${process.pid}-${Math.random().toString(36).slice(2)}`
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  vi.stubEnv('GPUQ_DATA_DIR', directory)
  vi.stubEnv('GPUQ_MAX_ARCHIVE_MIB', '2')
  return directory
})
const db = testDatabase()
afterAll(() => rm(dataDir, { recursive: true }))

let [owner, stranger] = [] as unknown as [Person, Person]
beforeAll(async () => {
  ;[owner, stranger] = [await makePerson(), await makePerson()]
  // The first job creates an environment.
  await makeJob()
})

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')
const entry = (path: string, content: Buffer) => ({ path, bytes: content.length, sha256: sha256(content) })
const frame = (content: Buffer) => Buffer.concat([frameHeader(sha256(content), content.length), content])

const register = (who: { cookie: string } | { token: string }, project: string, entries: unknown) =>
  call(archiveRoutes.register, '/api/archives', {
    method: 'POST',
    body: { project_id: project, entries },
    ...who,
  })

async function state(who: Person, project: string, entries: unknown) {
  return archiveStateSchema.parse((await register(who, project, entries)).body)
}

async function upload(who: { cookie: string }, project: string, body: Buffer) {
  const request = new Request(`http://localhost:8001/api/archives/blobs?project_id=${project}`, {
    method: 'POST',
    headers: {
      cookie: who.cookie,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/octet-stream',
    },
    body: new Uint8Array(body),
  })
  const response = await archiveRoutes.send(request, { params: Promise.resolve({}) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** The names of the stored contents of all projects. */
async function stored(): Promise<string[]> {
  const found = await readdir(join(dataDir, 'blobs'), { recursive: true, withFileTypes: true }).catch(
    () => [],
  )
  return found.filter((file) => file.isFile()).map(({ name }) => name)
}

function submit(who: Person, project: string, extra: string) {
  const parsed = parseConfig(`competition_id: c\nproject_id: ${project}\nexpected_time: 10\n${extra}`)
  if (!parsed.ok) throw new Error(parsed.errors[0]?.message)
  const code = Buffer.from('print(1)')
  const actor = { ...who.actor, limits: { submissionsPerMinute: 1000, maxActiveJobs: 1000 } }
  const bodyHash = createHash('sha256').update(code).digest()
  const { config } = parsed
  return accept(actor, { code, runId: null, config, bodyHash, idempotencyKey: null })
}

describe('uploading a directory', () => {
  it('sends missing contents once and makes them available to jobs', async () => {
    const [small, large] = [Buffer.from('print(1)'), randomBytes(600_000)]
    const entries = [entry('b/large', large), entry('a.py', small), entry('same.py', small)]
    const first = await state(owner, 'p', entries)
    expect(first.missing.toSorted()).toEqual([sha256(small), sha256(large)].toSorted())
    await expect(submit(owner, 'p', `archive: ${first.archive}`)).rejects.toMatchObject({
      code: 'invalid_fields',
    })

    expect(await upload(owner, 'p', Buffer.concat([frame(small), frame(large)]))).toEqual({
      status: 200,
      body: { stored: 2 },
    })
    expect(await state(owner, 'p', entries.toReversed())).toEqual({ archive: first.archive, missing: [] })
    const { jobId } = await submit(owner, 'p', `archive: ${first.archive}`)
    const { rows } = await db.pool.query(
      `SELECT encode(a.hash, 'hex') AS hash, a.files, a.bytes FROM jobs j JOIN archives a ON a.id = j.archive_id WHERE j.id = $1`,
      [jobId],
    )
    expect(rows).toEqual([{ hash: first.archive, files: 3, bytes: 600_016 }])

    const changed = [...entries, entry('new', Buffer.from('new'))]
    expect((await state(owner, 'p', changed)).missing).toEqual([sha256(Buffer.from('new'))])
  })

  it('does not reveal or use contents of another project', async () => {
    const content = randomBytes(100)
    const entries = [entry('secret', content)]
    const { archive } = await state(owner, 'mine', entries)
    await upload(owner, 'mine', frame(content))
    expect((await state(owner, 'mine', entries)).missing).toEqual([])
    for (const [who, project] of [
      [stranger, 'mine'],
      [owner, 'other'],
    ] as const) {
      expect((await state(who, project, entries)).missing).toEqual([sha256(content)])
      await expect(submit(who, project, `archive: ${archive}`)).rejects.toMatchObject({
        errors: [{ path: 'archive' }],
      })
    }
  })

  it('keeps the complete contents of an interrupted upload, and nothing else', async () => {
    const [whole, cut] = [randomBytes(2000), randomBytes(500_000)]
    await state(owner, 'cut', [entry('a', whole), entry('b', cut)])
    const sent = Buffer.concat([frame(whole), frame(cut)]).subarray(0, -1)
    expect(await upload(owner, 'cut', sent)).toMatchObject({ status: 400 })
    expect(await stored()).toContain(sha256(whole))
    expect(await stored()).not.toContain(sha256(cut))
    expect((await stored()).filter((name) => name.endsWith('.part'))).toEqual([])
    const { missing } = await state(owner, 'cut', [entry('a', whole), entry('b', cut)])
    expect(missing).toEqual([sha256(cut)])
  })

  it('rejects content with a wrong hash', async () => {
    for (const size of [100, 700_000]) {
      const [said, sent] = [randomBytes(size), randomBytes(size)]
      await state(owner, 'lies', [entry('a', said)])
      const lie = Buffer.concat([frameHeader(sha256(said), size), sent])
      expect(await upload(owner, 'lies', lie)).toMatchObject({ status: 422 })
      expect(await stored()).not.toContain(sha256(said))
      expect((await state(owner, 'lies', [entry('a', said)])).missing).toEqual([sha256(said)])
    }
  })

  it('works concurrently', async () => {
    const contents = Array.from({ length: 40 }, () => randomBytes(1000))
    const entries = contents.map((content, index) => entry(`f${index}`, content))
    await state(owner, 'many', entries)
    const sent = Buffer.concat(contents.map(frame))
    const answers = await Promise.all(Array.from({ length: 6 }, () => upload(owner, 'many', sent)))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200))
    expect((await state(owner, 'many', entries)).missing).toEqual([])
  })
})

describe('rejects', () => {
  const file = entry('a', Buffer.from('a'))
  const deep = entry('a/b', Buffer.from('b'))

  it.each([
    ['a path outside of the directory', [{ ...file, path: '../a' }]],
    ['a nested path outside of the directory', [{ ...file, path: 'b/../../a' }]],
    ['an absolute path', [{ ...file, path: '/etc/passwd' }]],
    ['a backslash', [{ ...file, path: 'a\\b' }]],
    ['a NUL', [{ ...file, path: 'a\0b' }]],
    ['half a character', [{ ...file, path: '\ud800' }]],
    ['an empty path', [{ ...file, path: '' }]],
    ['one path twice', [file, file]],
    ['a file and a directory of one name', [file, deep]],
    ['a file below a link', [{ path: 'a', target: 'b' }, deep]],
    ['a link to the outside', [{ path: 'a/b', target: '../../x' }]],
    ['a link that is absolute', [{ path: 'a', target: '/etc' }]],
    ['a link with .. after a name', [{ path: 'a/b/c', target: 'd/../../../../x' }]],
    ['an invalid hash', [{ ...file, sha256: 'A'.repeat(64) }]],
    ['a negative size', [{ ...file, bytes: -1 }]],
    ['two sizes of one content', [file, { ...file, path: 'b', bytes: 2 }]],
    ['neither file nor link', [{ path: 'a' }]],
    ['file and link', [{ ...file, target: 'b' }]],
    ['an empty list', []],
    ['too many files', Array.from({ length: 50_001 }, (_, index) => ({ ...file, path: `f${index}` }))],
  ])('%s', async (_what, entries) => {
    expect(await register(owner, 'refused', entries)).toMatchObject({ status: 422 })
  })

  it('a directory over the limit, and names its largest files', async () => {
    const answer = await register(owner, 'large', [
      file,
      { ...file, path: 'model.ckpt', sha256: sha256(Buffer.from('x')), bytes: 3 << 20 },
    ])
    expect(answer).toMatchObject({
      status: 413,
      body: { detail: expect.stringContaining('model.ckpt (3 MiB)') },
    })
    expect((await call(archiveRoutes.limits, '/api/archives', { cookie: owner.cookie })).body).toMatchObject({
      max_bytes: 2 << 20,
    })
  })

  it('nothing below the shared directory of a project: a client learns its path', async () => {
    env().GPUQ_WORKSPACES = { root: '/mnt/ws', paths: new Map(), shared: new Map([['team', '/data/team']]) }
    const shared = async (query: string, who = stranger) =>
      (await call(archiveRoutes.limits, `/api/archives${query}`, { cookie: who.cookie })).body
    expect(await shared('')).toMatchObject({ shared_directory: null })
    const own = `/mnt/ws/${stranger.handle}/not-yet`
    expect(await shared('?project_id=not-yet')).toMatchObject({ shared_directory: own })
    expect(await shared('?project_id=team')).toMatchObject({ shared_directory: '/data/team' })
    await register(owner, 'of-owner', [file])
    await db.pool.query(
      `INSERT INTO memberships (project_id, user_id) SELECT id, $2 FROM projects WHERE owner_id = $1 AND slug = 'of-owner'`,
      [owner.id, stranger.id],
    )
    const ofOwner = `/mnt/ws/${owner.handle}/of-owner`
    expect(await shared('?project_id=of-owner')).toMatchObject({ shared_directory: ofOwner })
    env().GPUQ_WORKSPACES = undefined
    expect(await shared('?project_id=of-owner')).toMatchObject({ shared_directory: null })
  })

  it('content without a registered list, with a wrong size, or of another media type', async () => {
    expect(await upload(owner, `p-${randomUUID()}`, frame(Buffer.from('x')))).toMatchObject({ status: 404 })
    await state(owner, 'sizes', [file])
    const huge = Buffer.from(frameHeader(sha256(Buffer.from('x')), 2 ** 50))
    expect(await upload(owner, 'sizes', huge)).toMatchObject({ status: 413 })
    const negative = Buffer.concat([Buffer.alloc(32), Buffer.alloc(8, 0xff)])
    expect(await upload(owner, 'sizes', negative)).toMatchObject({ status: 400 })
    const typed = await call(archiveRoutes.send, '/api/archives/blobs?project_id=sizes', {
      method: 'POST',
      body: {},
      cookie: owner.cookie,
    })
    expect(typed).toMatchObject({ status: 415 })
  })

  it('a read-only token', async () => {
    const { token } = await makeToken(owner, ['read'])
    expect(await register({ token }, 'p', [file])).toMatchObject({ status: 403 })
  })

  it('a job with too little memory for its directory', async () => {
    const content = Buffer.from('x')
    // Each file has one byte and takes a page of memory.
    const entries = Array.from({ length: 14_000 }, (_, index) => entry(`f${index}`, content))
    await state(owner, 'room', entries)
    await upload(owner, 'room', frame(content))
    const { archive } = await state(owner, 'room', entries)
    await expect(submit(owner, 'room', `archive: ${archive}\nmemory_gb: 0.1`)).rejects.toMatchObject({
      errors: [{ path: 'archive', message: expect.stringContaining('memory_gb: 2') }],
    })
    await submit(owner, 'room', `archive: ${archive}\nmemory_gb: 1`)
  })
})

describe('a run name', () => {
  it('belongs to one live job of a project; the error names the job to users who may see it', async () => {
    const { jobId } = await submit(owner, 'runs', 'run_name: base')
    const again = await submit(owner, 'runs', 'run_name: base').catch((error: unknown) => error)
    expect(again).toMatchObject({ code: 'conflict', message: expect.stringContaining(jobId) })
    await submit(owner, 'runs', 'run_name: other')
    await submit(owner, 'other-runs', 'run_name: base')
    await submit(stranger, 'runs', 'run_name: base')

    await db.pool.query(
      `UPDATE jobs SET status = 'cancelled', reason = 'cancelled_by_user', ended_at = now() WHERE id = $1`,
      [jobId],
    )
    await submit(owner, 'runs', 'run_name: base')
  })

  it('a run name of another member is free: their run is another one, and nothing tells that it exists', async () => {
    const { jobId } = await submit(owner, 'together', 'run_name: base')
    await db.pool.query(
      `INSERT INTO memberships (project_id, user_id) SELECT id, $2 FROM projects WHERE owner_id = $1 AND slug = 'together'`,
      [owner.id, stranger.id],
    )
    const other = await submit(stranger, 'together', 'run_name: base')
    expect(other.jobId).not.toBe(jobId)
    const again = await submit(stranger, 'together', 'run_name: base').catch((error: unknown) => error)
    expect(again).toMatchObject({ code: 'conflict', message: expect.stringContaining(other.jobId) })
  })

  it('a run name of the whole project is taken by any member; the error does not reveal their job', async () => {
    await submit(owner, 'sharing', '')
    await db.pool.query(`UPDATE projects SET share_runs = true WHERE owner_id = $1 AND slug = 'sharing'`, [
      owner.id,
    ])
    const { jobId } = await submit(owner, 'sharing', 'run_name: base')
    await db.pool.query(
      `INSERT INTO memberships (project_id, user_id) SELECT id, $2 FROM projects WHERE owner_id = $1 AND slug = 'sharing'`,
      [owner.id, stranger.id],
    )
    const refused = await submit(stranger, 'sharing', 'run_name: base').catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'conflict', message: expect.stringContaining(owner.handle) })
    expect(String(refused)).not.toContain(jobId)
  })
})
