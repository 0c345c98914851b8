import { createHash, randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { afterAll, beforeEach, expect, it, vi } from 'vitest'
import { readProjectStorageQuota } from '../access/storage/storage-quota'
import { bytesInProgress } from '../access/storage/uploads-in-progress'
import { makePerson, type Person } from '../access/testing/people'
import { frameHeader } from '../contract/archives/archive-frames'
import { testDatabase } from '../database/testing/test-database'
import { findProjectId, receiveBlobs } from './receive'
import { registerArchive } from './register'

const dataDir = vi.hoisted(() => {
  const directory = `/tmp/gpuq-uploads-${process.pid}-${Math.random().toString(36).slice(2)}`
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  vi.stubEnv('GPUQ_DATA_DIR', directory)
  return directory
})
const db = testDatabase()
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const quotaBytes = 1024 * 1024
/** What the row of a content takes in the database. */
const rowBytes = 200
let owner: Person
beforeEach(async () => {
  owner = await makePerson()
  for (const project of ['one', 'two']) await registerArchive(owner.actor, project, [])
  // Besides what the records of these directories take.
  await db.pool.query(
    `UPDATE users SET storage_quota_gib =
       ($2 + (SELECT sum(bytes) FROM storage_changes WHERE user_id = $1))::float8 / (1024 * 1024 * 1024)
      WHERE id = $1`,
    [owner.id, quotaBytes],
  )
})

const content = (bytes: number) => {
  const data = randomBytes(bytes)
  const sha256 = createHash('sha256').update(data).digest('hex')
  return { entry: { path: 'data', bytes, sha256 }, header: frameHeader(sha256, bytes), data }
}
type Content = ReturnType<typeof content>

/** An upload that sends these contents, then half of the last one, and then waits until it is continued or broken. */
function startUpload(project: string, complete: Content[], last: Content) {
  let proceed = () => {}
  let breakOff = () => {}
  const held = new Promise<void>((resolve, reject) => {
    proceed = resolve
    breakOff = () => reject(new Error('The connection broke off.'))
  })
  // The upload may not have come to its end yet.
  held.catch(() => {})
  async function* body() {
    for (const { header, data } of complete) {
      yield header
      yield data
    }
    yield last.header
    yield last.data.subarray(0, last.data.length / 2)
    await held
    yield last.data.subarray(last.data.length / 2)
  }
  const ended = receiveBlobs(owner.actor, project, body())
  ended.catch(() => {})
  return { ended, proceed, breakOff }
}

async function send(project: string, { header, data }: Content): Promise<number> {
  return receiveBlobs(
    owner.actor,
    project,
    new Blob([new Uint8Array(Buffer.concat([header, data]))]).stream(),
  )
}

const remaining = async () =>
  (await readProjectStorageQuota(db.pool, await findProjectId(owner.actor, 'one'))).remainingBytes

it('an upload in progress counts, so that uploads at the same time cannot exceed the quota together', async () => {
  const [first, second] = [content(700_000), content(600_000)]
  const upload = startUpload('one', [], first)
  await expect.poll(() => bytesInProgress(owner.id)).toBe(700_000)
  await expect(send('two', second)).rejects.toMatchObject({ code: 'quota_exceeded' })
  await expect(registerArchive(owner.actor, 'two', [second.entry])).rejects.toMatchObject({
    code: 'quota_exceeded',
  })
  upload.proceed()
  expect(await upload.ended).toBe(1)
  expect(bytesInProgress(owner.id)).toBe(0)
  expect(await remaining()).toBe(quotaBytes - 700_000 - rowBytes)
})

it('what arrived of an interrupted upload counts, and the rest does not', async () => {
  const [arrived, broken] = [content(300_000), content(700_000)]
  const upload = startUpload('one', [arrived], broken)
  await expect.poll(() => bytesInProgress(owner.id)).toBe(1_000_000)
  upload.breakOff()
  await expect(upload.ended).rejects.toThrow('The upload ended early.')
  expect(bytesInProgress(owner.id)).toBe(0)
  expect(await remaining()).toBe(quotaBytes - 300_000 - rowBytes)
  expect(await send('two', broken)).toBe(1)
  expect(await remaining()).toBe(quotaBytes - 1_000_000 - 2 * rowBytes)
})

it('an upload may use the quota to its last byte', async () => {
  const parts = [content(400_000), content(600_000), content(quotaBytes - 1_000_000 - 2 * rowBytes)]
  for (const part of parts) await send('one', part)
  expect(await remaining()).toBe(0)
})
