import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../access/testing/people'
import { getUser } from '../access/users/users'
import { makeJob } from '../cluster/testing/rows'
import { frameHeader } from '../contract/archives/archive-frames'
import { parseConfig } from '../contract/config/config'
import { testDatabase } from '../database/testing/test-database'
import { accept } from '../jobs/submission/accept'
import { deleteVersions } from '../snapshots/delete-snapshots'
import { pushSnapshot } from '../snapshots/push-snapshot'
import { diskStore } from '../storage/disk'
import { setStorage } from '../storage/storage'
import type { ObjectStore } from '../storage/store'
import { blobKey } from './blob-key'
import { deleteArchive } from './delete-archive'
import { receiveBlobs } from './receive'
import { registerArchive } from './register'
import { sweepArchives } from './sweep'
import { uploadFiles } from './testing/upload-files'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
let root: string
let store: ObjectStore
let [ada, bob, eve] = [] as unknown as [Person, Person, Person]
let projectId: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-holders-'))
  store = diskStore(root)
  setStorage(store)
  // Creates the environment.
  await makeJob()
})
afterAll(() => rm(root, { recursive: true }))

/** Ada owns the project, Bob and Eve are members. */
beforeEach(async () => {
  ;[ada, bob, eve] = [await makePerson(), await makePerson(), await makePerson()]
  projectId = (await uploadFiles(ada, 'class', { of: ada.handle })).projectId
  for (const { id } of [bob, eve])
    await db.pool.query('INSERT INTO memberships (project_id, user_id, may_push) VALUES ($1, $2, true)', [
      projectId,
      id,
    ])
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const entry = (text: string, bytes = text.length) => ({ path: 'file', bytes, sha256: sha256(text) })
const register = (who: Person, text: string, bytes?: number) =>
  registerArchive(who.actor, 'class', [entry(text, bytes)])

function send(who: Person, hash: string, content: string): Promise<number> {
  const frame = Buffer.concat([frameHeader(hash, content.length), Buffer.from(content)])
  return receiveBlobs(who.actor, 'class', new Blob([new Uint8Array(frame)]).stream())
}

function submit(who: Person, archive: string) {
  const parsed = parseConfig(`competition_id: c\nproject_id: class\nexpected_time: 10\narchive: ${archive}\n`)
  if (!parsed.ok) throw new Error(parsed.errors[0]?.message)
  const actor = { ...who.actor, limits: { submissionsPerMinute: 1000, maxActiveJobs: 1000 } }
  const code = Buffer.from('print(1)')
  const { config } = parsed
  return accept(actor, { code, runId: null, config, bodyHash: Buffer.alloc(32), idempotencyKey: null })
}

/** What a request was answered, or the error, to compare two requests. */
const answerOf = (request: Promise<unknown>) =>
  request.catch((error: unknown) => {
    const { code, message } = error as { code: string; message: string }
    return { code, message }
  })

const usedByOwner = async () => (await getUser(ada.actor, ada.handle)).storage.by_kind.archives
const secret = () => randomBytes(20).toString('hex')

describe('a content that another member has uploaded', () => {
  it('cannot be told from one that does not exist, by any hash, size or directory that a member sends', async () => {
    const [known, unknown] = [secret(), secret()]
    await uploadFiles(bob, 'class', { file: known })
    const replies = async (text: string) => {
      const replace = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll(sha256(text), 'HASH'))
      const right = await register(eve, text)
      return [
        right.missing.map(replace),
        await answerOf(register(eve, text, 7).then(({ missing }) => missing.map(replace))),
        await answerOf(send(eve, sha256(text), 'x')).then(replace),
        await answerOf(submit(eve, right.archive)),
        await answerOf(pushSnapshot(eve.actor, projectId, { name: 'stolen', archive: right.archive })),
      ]
    }
    const ofKnown = await replies(known)
    expect(ofKnown).toEqual(await replies(unknown))
    expect(ofKnown).toMatchObject([
      ['HASH'],
      ['HASH'],
      { code: 'invalid_fields' },
      { code: 'invalid_fields', message: expect.stringContaining('does not have this directory from you') },
      { code: 'invalid_fields', message: expect.stringContaining('does not have this directory from you') },
    ])
  })

  it('counts like a new one when a member sends it', async () => {
    const [known, unknown] = [secret(), secret()]
    await uploadFiles(bob, 'class', { file: known })
    const grownBy = async (text: string) => {
      const before = await usedByOwner()
      expect(await send(eve, sha256(text), text)).toBe(1)
      expect((await register(eve, text)).missing).toEqual([])
      return (await usedByOwner()) - before
    }
    expect(await grownBy(known)).toBe(40)
    expect(await grownBy(unknown)).toBe(40)
  })

  it('is used by everybody who has sent it, and is deleted with the last of them', async () => {
    const text = secret()
    const { id, hash } = await uploadFiles(bob, 'class', { file: text })
    await uploadFiles(eve, 'class', { file: text })
    await submit(eve, hash)
    await uploadFiles(bob, 'class', { file: text, other: 'of Bob' })
    await db.pool.query(
      `UPDATE jobs SET status = 'cancelled', reason = 'cancelled_by_user', ended_at = now()`,
    )
    await deleteArchive(ada.actor, id)
    expect((await register(eve, text)).missing).toEqual([sha256(text)])
    // Bob has another directory with it.
    expect((await register(bob, text)).missing).toEqual([])
    expect(await store.has(blobKey(projectId, sha256(text)))).toBe(true)
  })

  it('may be used again by a manager who sees a job with it', async () => {
    const { hash } = await uploadFiles(bob, 'class', { file: secret() })
    await db.pool.query(`UPDATE memberships SET role = 'manager' WHERE user_id = $1`, [eve.id])
    expect(await answerOf(submit(eve, hash))).toMatchObject({ code: 'invalid_fields' })
    await submit(bob, hash)
    expect(await submit(eve, hash)).toMatchObject({ repeated: false })
  })
})

it('members who upload the same files while snapshots of them come and go never lose one', async () => {
  const texts = Array.from({ length: 30 }, secret)
  const files = Object.fromEntries(texts.map((text) => [text, text]))
  const upload = async (who: Person) => {
    for (let n = 0; n < 6; n++) await uploadFiles(who, 'class', { ...files, own: `${who.handle} ${n}` })
  }
  const pushAndDelete = async () => {
    for (let n = 0; n < 6; n++) {
      const { hash } = await uploadFiles(ada, 'class', { ...files, own: `${ada.handle} ${n}` })
      await pushSnapshot(ada.actor, projectId, { name: 'start', archive: hash })
      await deleteVersions(ada.actor, projectId, 'start')
    }
  }
  await Promise.all([upload(bob), upload(eve), pushAndDelete()])
  const { rows } = await db.pool.query(
    `SELECT DISTINCT h.user_id, e->>'sha256' AS hash
       FROM archives a JOIN archive_holders h ON h.archive_id = a.id CROSS JOIN jsonb_array_elements(a.manifest->'entries') e
      WHERE NOT EXISTS (SELECT 1 FROM archive_blobs b WHERE b.project_id = a.project_id AND b.user_id = h.user_id
                           AND encode(b.hash, 'hex') = e->>'sha256')`,
  )
  expect(rows).toEqual([])
  expect(
    (await Promise.all(texts.map((text) => store.has(blobKey(projectId, sha256(text)))))).every(Boolean),
  ).toBe(true)
  const { rows: shown } = await db.pool.query(
    'SELECT 1 FROM archive_blobs WHERE project_id = $1 AND in_snapshot',
    [projectId],
  )
  expect(shown).toEqual([])
})

describe('a content of a snapshot', () => {
  it('is known to every member while the snapshot exists, and later to those who used it', async () => {
    const text = secret()
    const { hash } = await uploadFiles(ada, 'class', { file: text })
    await pushSnapshot(ada.actor, projectId, { name: 'start', archive: hash })
    expect((await registerArchive(bob.actor, 'class', [{ ...entry(text), path: 'mine' }])).missing).toEqual(
      [],
    )
    expect(await submit(bob, hash)).toMatchObject({ repeated: false })
    await db.pool.query(
      `UPDATE jobs SET status = 'cancelled', reason = 'cancelled_by_user', ended_at = now()`,
    )
    await deleteVersions(ada.actor, projectId, 'start')
    expect((await register(eve, text)).missing).toEqual([sha256(text)])
    expect((await register(bob, text)).missing).toEqual([])
  })

  it('stays known while another snapshot has it', async () => {
    const [text, other] = [secret(), secret()]
    const versions: [string, Record<string, string>][] = [
      ['one', { file: text }],
      ['two', { file: text, other }],
    ]
    for (const [name, files] of versions) {
      const { hash } = await uploadFiles(ada, 'class', files)
      await pushSnapshot(ada.actor, projectId, { name, archive: hash })
    }
    await deleteVersions(ada.actor, projectId, 'one')
    expect((await register(eve, text)).missing).toEqual([])
    await deleteVersions(ada.actor, projectId, 'two')
    expect((await register(bob, text)).missing).toEqual([sha256(text)])
  })
})

describe('the sweep', () => {
  it('ends the right of a user who no longer needs a directory, and keeps it for another one', async () => {
    const text = secret()
    const { id, hash } = await uploadFiles(bob, 'class', { file: text })
    await uploadFiles(eve, 'class', { file: text })
    const { jobId } = await submit(eve, hash)
    await db.pool.query(`UPDATE archives SET created_at = now() - interval '8 days'`)
    await db.pool.query(`UPDATE archive_holders SET held_at = now() - interval '8 days'`)
    await db.pool.query(`UPDATE archive_blobs SET stored_at = now() - interval '8 days'`)
    await sweepArchives(store, new Date(Date.now() + 2 * 24 * 60 * 60_000))
    const { rows } = await db.pool.query('SELECT archive_id FROM jobs WHERE id = $1', [jobId])
    expect(rows).toEqual([{ archive_id: id }])
    expect(await store.has(blobKey(projectId, sha256(text)))).toBe(true)
    expect((await register(eve, text)).missing).toEqual([])
    expect((await register(bob, text)).missing).toEqual([sha256(text)])
  })
})
