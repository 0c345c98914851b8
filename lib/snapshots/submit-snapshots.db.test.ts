import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Actor } from '../access/actor'
import { makePerson, type Person } from '../access/testing/people'
import { uploadFiles } from '../archives/testing/upload-files'
import { makeJob } from '../cluster/testing/rows'
import { parseConfig } from '../contract/config/config'
import { queueSubmitSchema } from '../contract/queue'
import { testDatabase } from '../database/testing/test-database'
import { listSourceFiles } from '../jobs/downloads/source-files'
import { findVisibleJob } from '../jobs/read/job-visibility'
import { readJob, readSource } from '../jobs/read/read'
import { accept } from '../jobs/submission/accept'
import { submitToQueue } from '../queue/submit'
import { diskStore } from '../storage/disk'
import { setStorage } from '../storage/storage'
import { deleteVersions } from './delete-snapshots'
import { pushSnapshot } from './push-snapshot'
import { shareSnapshot } from './share-snapshot'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
testDatabase()
let root: string
let [ada, bob] = [] as unknown as [Person, Person]
let actor: Actor

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-submit-'))
  setStorage(diskStore(root))
  // Creates the environment.
  await makeJob()
})
beforeEach(async () => {
  ;[ada, bob] = [await makePerson(), await makePerson()]
  actor = withoutLimits(ada)
})
afterAll(() => rm(root, { recursive: true }))

const withoutLimits = (person: Person): Actor => ({
  ...person.actor,
  limits: { submissionsPerMinute: 100_000, maxActiveJobs: 100_000 },
})

async function push(files: Record<string, string>, name = 'code') {
  const { projectId, hash } = await uploadFiles(ada, 'p', files)
  return { projectId, ...(await pushSnapshot(ada.actor, projectId, { name, archive: hash })) }
}

interface Options {
  who?: Actor
  idempotencyKey?: string | null
  deduplicate?: boolean
}

async function submit(
  archive: string,
  { who = actor, idempotencyKey = null, deduplicate = false }: Options = {},
) {
  const text = `competition_id: c\nproject_id: p\nexpected_time: 10\narchive: ${archive}\n`
  const parsed = parseConfig(text)
  if (!parsed.ok) throw new Error(parsed.errors[0]?.message)
  const bodyHash = createHash('sha256').update(text).digest()
  const submission = { code: Buffer.alloc(0), runId: null, config: parsed.config, bodyHash, idempotencyKey }
  return accept(who, submission, { deduplicate })
}

const filesOf = async (who: Actor, job: string) =>
  (await listSourceFiles(await findVisibleJob(who, job))).files?.map(({ path }) => path)

describe('a job with a snapshot', () => {
  it('keeps the version with which it was accepted', async () => {
    await push({ 'main.py': '1' })
    const { jobId } = await submit('code')
    await push({ 'main.py': '2', new: '2' })
    expect(await readJob(actor, jobId)).toMatchObject({ snapshot: 'code@1', archive: { files: 1, bytes: 1 } })
    expect(await filesOf(actor, jobId)).toEqual(['main.py'])
    expect((await readSource(actor, jobId)).config).toContain('archive: "code@1"')
    expect(await readJob(actor, (await submit('code')).jobId)).toMatchObject({ snapshot: 'code@2' })
    expect(await readJob(actor, (await submit('code@1')).jobId)).toMatchObject({ snapshot: 'code@1' })
  })

  it('is refused with near names, also if its entrypoint is missing', async () => {
    await push({ notes: 'no program' })
    await expect(submit('cdoe')).rejects.toMatchObject({
      code: 'invalid_fields',
      message: 'archive: the project "p" has no snapshot cdoe. Did you mean code?',
      errors: [{ path: 'archive' }],
    })
    await expect(submit('code@2')).rejects.toThrow('code has only the version 1')
    await expect(submit('code')).rejects.toThrow('the directory has no solution.py')
    // Another user's project has nothing of it.
    await expect(submit('code', { who: withoutLimits(bob) })).rejects.toThrow('and no other')
  })

  it('runs with a snapshot that another project shares', async () => {
    const { id, archive } = await push({ 'main.py': 'of Ada' }, 'lab/code')
    const admin = await makePerson('admin')
    await shareSnapshot(admin.actor, id, true)
    const who = withoutLimits(bob)
    const { jobId } = await submit('lab/code', { who })
    expect(await readJob(who, jobId)).toMatchObject({ snapshot: 'lab/code@1', archive: { hash: archive } })
    expect(await filesOf(who, jobId)).toEqual(['main.py'])
    await shareSnapshot(admin.actor, id, false)
    expect(await filesOf(who, jobId)).toEqual(['main.py'])
    await expect(submit('lab/code', { who })).rejects.toThrow('has no snapshot lab/code')
    // The hash gives no access either.
    await expect(submit(archive, { who })).rejects.toThrow('does not have this directory')
  })

  it('is safe when the snapshot is deleted, and its repeated submission is answered with it', async () => {
    const { projectId } = await push({ 'main.py': '1' })
    const first = await submit('code', { idempotencyKey: 'k' })
    await deleteVersions(ada.actor, projectId, 'code')
    expect(await readJob(actor, first.jobId)).toMatchObject({ snapshot: 'code@1', archive: { files: 1 } })
    expect(await filesOf(actor, first.jobId)).toEqual(['main.py'])
    expect(await submit('code', { idempotencyKey: 'k' })).toMatchObject({
      jobId: first.jobId,
      repeated: true,
    })
    await expect(submit('code')).rejects.toThrow('has no snapshot code')
  })

  it('is the same as a job with the same directory under another name', async () => {
    const { archive } = await push({ 'main.py': '1' })
    const { jobId } = await submit('code')
    for (const same of ['code', 'code@1', archive])
      expect(await submit(same, { deduplicate: true })).toMatchObject({ jobId, deduplicated: true })
    await push({ 'main.py': '2' })
    expect(await submit('code', { deduplicate: true })).toMatchObject({ deduplicated: false })
  })

  it('can be submitted to the queue', async () => {
    await push({ 'train.py': '1' })
    const queue = (archive: string) =>
      submitToQueue(
        actor,
        queueSubmitSchema.parse({ command: 'python train.py', project_id: 'p', archive }),
        null,
      )
    const { jobId } = await queue('code')
    expect(await readJob(actor, jobId)).toMatchObject({ snapshot: 'code@1', archive: { files: 1 } })
    await expect(queue('coed')).rejects.toThrow('Did you mean code?')
  })
})
