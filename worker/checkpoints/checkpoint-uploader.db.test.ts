import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { checkpointKey } from '@/lib/checkpoints/checkpoint-files'
import { sweepCheckpoints } from '@/lib/checkpoints/sweep-checkpoints'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { commitPlacement } from '@/lib/cluster/placement/place'
import { takeSnapshot } from '@/lib/cluster/placement/snapshot'
import { finishTask } from '@/lib/cluster/tasks/finish-task'
import type { Run } from '@/lib/cluster/tasks/tasks'
import { type ClaimedTask, claimTasks, Fenced } from '@/lib/cluster/tasks/tasks'
import { makeJob, makeNode, makeUser } from '@/lib/cluster/testing/rows'
import { testDatabase } from '@/lib/database/testing/test-database'
import { plan } from '@/lib/scheduling/plan'
import { s3Store } from '@/lib/storage/s3'
import { setStorage } from '@/lib/storage/storage'
import { type ObjectStore, StorageFault } from '@/lib/storage/store'
import { keysOf, parts } from '@/lib/storage/testing/contract'
import { type S3Server, startS3Server } from '@/lib/storage/testing/s3-server'
import { until } from '../testing/until'
import { CheckpointUploader } from './checkpoint-uploader'
import { localCheckpoints } from './local-checkpoints'
import { restoreCheckpoints } from './restore-checkpoints'

const db = testDatabase()
let root: string
let server: S3Server
let bucket: ObjectStore
/** Called before the store writes a content. */
let refuse: ((content: string) => Promise<void> | void) | null
/** When the store responds to reads. */
let answers: Promise<void>
/** How often it was read. */
let asked = 0
let writes: number

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-keep-'))
  server = await startS3Server({ complete: true })
  bucket = s3Store(server.options)
  setStorage({
    write: async (key, content, options) => {
      writes += 1
      const pieces: Uint8Array[] = []
      for await (const piece of content) pieces.push(piece)
      const text = Buffer.concat(pieces).toString()
      await refuse?.(text)
      return bucket.write(key, parts(text), options)
    },
    open: async (key, range) => {
      asked += 1
      await answers
      return bucket.open(key, range)
    },
    measure: (key) => bucket.measure(key),
    has: (key) => bucket.has(key),
    remove: (key) => bucket.remove(key),
    list: (prefix) => bucket.list(prefix),
    removeLeftovers: (before) => bucket.removeLeftovers(before),
    check: () => bucket.check(),
  })
})
beforeEach(async () => {
  refuse = null
  answers = Promise.resolve()
  writes = 0
  asked = 0
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
  for (const key of await keysOf(bucket, 'checkpoints')) await bucket.remove(key)
})
afterEach(() => {
  for (const { uploader } of opened.splice(0)) uploader.close()
})
afterAll(async () => {
  await server.stop()
  await rm(root, { recursive: true })
})

/** One task of a run, like in its worker. */
interface Opened {
  lease: Lease
  task: ClaimedTask
  run: Run
  files: string
  notes: string[]
  over: number
  uploader: CheckpointUploader
}
const opened: Opened[] = []

interface Kept {
  limitBytes?: number
  /** Timeouts at the end. */
  timeouts?: typeof waits
}
const waits = { lastMs: 20_000, lastCancelledMs: 20_000, downMs: 20_000 }
/** For a store that accepts nothing more. */
const impatient = { ...waits, downMs: 1_500 }

async function claim(spec: Record<string, unknown>, nodes: Lease[]): Promise<[Lease, ClaimedTask][]> {
  const { snapshot } = await takeSnapshot()
  for (const placement of plan(snapshot).placements) await commitPlacement(placement)
  const claimed = await Promise.all(
    nodes.map(async (lease) => (await claimTasks(lease)).map((task): [Lease, ClaimedTask] => [lease, task])),
  )
  expect(claimed.flat()).toHaveLength(Number(spec.instance_count ?? 1))
  return claimed.flat().sort(([, a], [, b]) => a.rank - b.rank)
}

function keep(
  lease: Lease,
  task: ClaimedTask,
  { limitBytes = 1 << 30, timeouts = waits }: Kept = {},
): Opened {
  const { run } = task
  if (!run) throw new Error('The task has no run.')
  const local = localCheckpoints(join(root, 'tasks'), task.id)
  const one = { lease, task, run, files: local.files, notes: [] as string[], over: 0 }
  const result: Opened = Object.assign(one, {
    uploader: new CheckpointUploader(
      {
        lease,
        task,
        run,
        local,
        limitBytes,
        abandoned: new AbortController().signal,
        note: (text) => one.notes.push(text),
        onOver: () => {
          result.over += 1
        },
      },
      timeouts,
    ),
  })
  opened.push(result)
  return result
}

async function restore(task: ClaimedTask, signal = new AbortController().signal): Promise<void> {
  const { run } = task
  if (!run) throw new Error('The task has no run.')
  const user = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const local = localCheckpoints(join(root, 'tasks'), task.id)
  await restoreCheckpoints({ task, run, user, local, note: () => {} }, signal)
}

/** A run with one task, ready to write. */
async function begin(kept?: Kept): Promise<Opened> {
  const lease = await makeNode()
  await makeJob({ spec: { run_name: 'base' } })
  return beginNext(lease, kept)
}

async function beginNext(lease: Lease, kept?: Kept): Promise<Opened> {
  await db.pool.query('UPDATE jobs SET not_before = NULL')
  const [[, task] = []] = await claim({}, [lease])
  if (!task) throw new Error('There is no task to claim.')
  await restore(task)
  return keep(lease, task, kept)
}

async function write({ files }: Opened, path: string, content: string): Promise<void> {
  await mkdir(dirname(join(files, path)), { recursive: true })
  await writeFile(join(files, path), content)
}

/** The files that the next attempt would restore. */
async function recorded({ run }: Opened): Promise<Record<string, string>> {
  const { rows } = await db.pool.query<{ path: string; object: string }>(
    'SELECT path, object FROM checkpoint_files WHERE run_id = $1 ORDER BY path',
    [run.id],
  )
  const read = rows.map(async ({ path, object }) => {
    const { stream } = await bucket.open(checkpointKey(run, object))
    const pieces: Buffer[] = []
    for await (const piece of stream) pieces.push(piece)
    return [path, Buffer.concat(pieces).toString()] as const
  })
  return Object.fromEntries(await Promise.all(read))
}

const untilRecorded = (of: Opened, files: Record<string, string>) =>
  until(
    `the record is ${JSON.stringify(files)}`,
    // A file replaced between reading the record and its object is seen at the next check.
    async () => JSON.stringify(await recorded(of).catch(() => null)) === JSON.stringify(files),
    { details: () => of.notes.join('\n') },
  )

const objects = () => keysOf(bucket, 'checkpoints')
const inADay = () => new Date(Date.now() + 25 * 3_600_000)
const away = () => {
  throw new StorageFault('unreachable', 'away')
}

/** Ends the attempt with a system fault, so that the job is retried. */
async function endAttempt({ lease, task, uploader }: Opened): Promise<void> {
  expect(await uploader.finish('worker_stopped')).toBeNull()
  await finishTask(lease, task, { reason: 'worker_stopped', detail: null, exitCode: null })
}

describe('the checkpoints of a run', () => {
  it('match the files on disk while it runs, and the bucket contains nothing else', async () => {
    const run = await begin()
    await write(run, 'step-1/weights', 'w1')
    await write(run, 'latest', 'step-1')
    run.uploader.start()
    await untilRecorded(run, { latest: 'step-1', 'step-1/weights': 'w1' })
    await write(run, 'step-2.part', 'w2')
    await rename(join(run.files, 'step-2.part'), join(run.files, 'step-2'))
    await write(run, 'latest', 'step-2')
    await rm(join(run.files, 'step-1'), { recursive: true })
    await untilRecorded(run, { latest: 'step-2', 'step-2': 'w2' })
    await until('the replaced object is removed', async () => (await objects()).length === 2, {
      details: () => '',
    })
  })

  it('are restored by the next attempt with content, time and executable flag, without another upload', async () => {
    const first = await begin()
    await write(first, 'a/b/run.sh', 'echo')
    await chmod(join(first.files, 'a/b/run.sh'), 0o700)
    await write(first, 'empty', '')
    await write(first, 'two\nlines ü', 'x')
    const before = await stat(join(first.files, 'a/b/run.sh'))
    await endAttempt(first)
    const second = await beginNext(first.lease)
    expect(second.task.attempt).toBe(2)
    const after = await stat(join(second.files, 'a/b/run.sh'))
    expect(Math.abs(after.mtimeMs - before.mtimeMs)).toBeLessThan(1)
    expect(after.mode & 0o100).toBe(0o100)
    expect(await readFile(join(second.files, 'a/b/run.sh'), 'utf8')).toBe('echo')
    expect((await stat(join(second.files, 'empty'))).size).toBe(0)
    expect(await readdir(second.files)).toContain('two\nlines ü')
    writes = 0
    await rm(join(second.files, 'empty'))
    await endAttempt(second)
    expect(writes).toBe(0)
    expect(Object.keys(await recorded(second))).toEqual(['a/b/run.sh', 'two\nlines ü'])
  })

  it('continue after the worker has died, from the bucket and the disk', async () => {
    const { lease, task, ...first } = await begin()
    await write({ lease, task, ...first }, 'old', 'old')
    first.uploader.start()
    await untilRecorded({ lease, task, ...first }, { old: 'old' })
    first.uploader.close()
    const adopted = keep(lease, task)
    await write(adopted, 'new', 'new')
    writes = 0
    expect(await adopted.uploader.finish('finished')).toBeNull()
    expect(writes).toBe(1)
    expect(await recorded(adopted)).toEqual({ new: 'new', old: 'old' })
  })

  it('replace a file by a directory of the same name', async () => {
    const first = await begin()
    await write(first, 'state', 'file')
    await endAttempt(first)
    const second = await beginNext(first.lease)
    await rm(join(second.files, 'state'))
    await write(second, 'state/weights', 'w')
    second.uploader.start()
    // The file and its object may be removed between the two checks.
    const isIn = async () => 'state/weights' in (await recorded(second).catch(() => ({})))
    await until('the new file is in the record', isIn, { details: () => second.notes.join('\n') })
    second.uploader.close()
    await finishTask(second.lease, second.task, { reason: 'worker_stopped', detail: null, exitCode: null })
    const third = await beginNext(first.lease)
    expect(await readFile(join(third.files, 'state/weights'), 'utf8')).toBe('w')
    expect(await third.uploader.finish('finished')).toBeNull()
    expect(await recorded(third)).toEqual({ 'state/weights': 'w' })
  })
})

describe('a store that fails', () => {
  it('a store that fails during a batch leaves a consistent prefix of it in the record', async () => {
    const run = await begin()
    for (const path of ['1', '2', '3', '4', '5', 'latest']) {
      await write(run, path, path)
      await new Promise((resolve) => setTimeout(resolve, 15))
    }
    refuse = (content) => {
      if (content === '3') away()
    }
    run.uploader.start()
    await untilRecorded(run, { '1': '1', '2': '2' })
    await until('the failure is reported', () => run.notes.length > 0)
    expect(run.notes).toEqual([
      'checkpoints cannot be stored at the moment: the store is not reachable; retrying',
    ])
    refuse = null
    await untilRecorded(run, { '1': '1', '2': '2', '3': '3', '4': '4', '5': '5', latest: 'latest' })
    await until('the recovery is reported', () => run.notes.length === 2, {
      details: () => run.notes.join('\n'),
    })
    expect(run.notes.at(-1)).toBe('checkpoints are stored again')
    expect(await objects()).toHaveLength(6)
  })

  it('a store that fails at the end delays the end of the attempt, which then reports what is missing', async () => {
    // Time for at least one try, which provides the cause.
    const run = await begin({ timeouts: { ...waits, downMs: 8_000 } })
    await write(run, 'state', 'kept')
    run.uploader.start()
    await untilRecorded(run, { state: 'kept' })
    refuse = away
    await write(run, 'state', 'lost')
    expect(await run.uploader.finish('finished')).toMatch(
      /^The checkpoints of its last (\d+ seconds|second) were not stored: the store is not reachable\.$/,
    )
    expect(await recorded(run)).toEqual({ state: 'kept' })
  })

  it('permanently does not block the attempt forever', async () => {
    const run = await begin({ timeouts: impatient })
    await write(run, 'state', 'x')
    let answer = () => {}
    refuse = () =>
      new Promise<void>((resolve) => {
        answer = resolve
      })
    try {
      run.uploader.start()
      expect(await run.uploader.finish('preempted')).toMatch(
        /were not stored: the store did not accept them in time\.$/,
      )
    } finally {
      answer()
    }
  })

  it('a store that fails or has lost a file prevents the next attempt from starting', async () => {
    const first = await begin()
    await write(first, 'state', 'x')
    await endAttempt(first)
    for (const key of await objects()) await bucket.remove(key)
    await expect(beginNext(first.lease)).rejects.toThrow(
      "The run's checkpoints could not be read from the store.",
    )
  })

  it('a store that fails or does not respond does not prevent a job from being stopped', async () => {
    const first = await begin()
    await write(first, 'state', 'x')
    await endAttempt(first)
    let answer = () => {}
    answers = new Promise((resolve) => {
      answer = resolve
    })
    const stopping = new AbortController()
    const restoring = restore(first.task, stopping.signal)
    restoring.catch(() => {})
    await until('the store is asked', () => asked > 0)
    stopping.abort()
    await expect(restoring).rejects.toThrow('aborted')
    answer()
  })

  it('a store that fails or returns different content is detected, and no path leaves the directory', async () => {
    const first = await begin()
    await write(first, 'state', 'x')
    await endAttempt(first)
    await db.pool.query(`UPDATE checkpoint_files SET path = '../evil'`)
    await expect(restore(first.task)).rejects.toThrow('leaves the directory')
    await db.pool.query(`UPDATE checkpoint_files SET path = 'state', sha256 = repeat('0', 64)`)
    await expect(restore(first.task, AbortSignal.timeout(1_000))).rejects.toThrow()
  })
})

describe('at the storage quota', () => {
  /** Leaves this many bytes of the quota of the project or its owner. */
  async function leave(owner: 'users' | 'projects', bytes: number): Promise<void> {
    await db.pool.query(
      `UPDATE ${owner} SET storage_quota_gib =
         ((SELECT sum(bytes) FROM storage_changes WHERE ${owner === 'users' ? 'user_id' : 'project_id'} = ${owner}.id) + $1::int) / 1073741824.0`,
      [bytes],
    )
  }

  it.each(['users', 'projects'] as const)(
    'at the storage quota of its %s a new checkpoint is not stored, and the last one stays until there is space',
    async (owner) => {
      const run = await begin()
      await write(run, 'step-1', 'abcde')
      run.uploader.start()
      await untilRecorded(run, { 'step-1': 'abcde' })
      await leave(owner, 3)
      await write(run, 'step-2', 'fghij and more')
      await rm(join(run.files, 'step-1'))
      await until('the failure is reported', () => run.notes.length > 0)
      expect(run.notes).toEqual([
        'checkpoints cannot be stored at the moment: they exceed the storage quota; delete files in the settings; retrying',
      ])
      expect(await recorded(run)).toEqual({ 'step-1': 'abcde' })
      await leave(owner, 100)
      await untilRecorded(run, { 'step-2': 'fghij and more' })
    },
  )

  it('a checkpoint that replaces another of its size is stored', async () => {
    const run = await begin()
    await write(run, 'state', 'abcde')
    run.uploader.start()
    await untilRecorded(run, { state: 'abcde' })
    await leave('users', 0)
    await write(run, 'state', 'fghij')
    await untilRecorded(run, { state: 'fghij' })
  })

  it('the end of the job says that its last checkpoints were not stored', async () => {
    const run = await begin()
    await leave('users', 1)
    await write(run, 'state', 'abcde')
    expect(await run.uploader.finish('finished')).toMatch(
      /^The checkpoints of its last .* were not stored: they exceed the storage quota; delete files in the settings\.$/,
    )
    expect(await recorded(run)).toEqual({})
    expect(run.over).toBe(0)
  })
})

describe('a worker that was fenced off', () => {
  it('writes nothing to the record, and its objects are swept later', async () => {
    const run = await begin()
    await write(run, 'state', 'x')
    await db.pool.query(`UPDATE nodes SET lease_expires_at = now() - interval '1 second'`)
    await expect(run.uploader.finish('finished')).rejects.toThrow(Fenced)
    expect(await recorded(run)).toEqual({})
    expect(await objects()).toHaveLength(1)
    await sweepCheckpoints(bucket, new Date())
    expect(await objects()).toHaveLength(1)
    await sweepCheckpoints(bucket, inADay())
    expect(await objects()).toHaveLength(0)
  })
})

describe('files of a malicious program', () => {
  it('are skipped if they are not regular, reported a few times, and refused if they are too large', async () => {
    const run = await begin({ limitBytes: 1 << 20 })
    for (let index = 0; index < 10; index++) await symlink('/etc/passwd', join(run.files, `link-${index}`))
    await write(run, 'real', 'real')
    run.uploader.start()
    await untilRecorded(run, { real: 'real' })
    expect(run.notes).toHaveLength(5)
    expect(run.notes[0]).toMatch(/^the checkpoint link-\d is not stored: it is not a regular file$/)
    expect(run.over).toBe(0)
    // It is large from the beginning, because an empty file might be stored.
    await writeFile(join(root, 'holes'), '')
    await truncate(join(root, 'holes'), 1 << 30)
    await rename(join(root, 'holes'), join(run.files, 'holes'))
    await until('it is over', () => run.over > 0, { details: () => run.notes.join('\n') })
    expect(await run.uploader.finish('checkpoint_limit')).toMatch(/they exceed the size limit/)
    expect(await recorded(run)).toEqual({ real: 'real' })
  })
})

describe('several tasks of one run', () => {
  it('write to one record: the last one wins, and removes only files that it knows', async () => {
    const nodes = [await makeNode(), await makeNode()]
    const spec = { run_name: 'base', instance_count: 2 }
    await makeJob({ spec })
    const ranks: Opened[] = []
    for (const [lease, task] of await claim(spec, nodes)) {
      await restore(task)
      ranks.push(keep(lease, task))
    }
    const [zero, one] = ranks
    if (!zero || !one) throw new Error('The run needs two ranks.')
    await write(zero, 'state', 'of 0')
    await write(zero, 'rank-0', '0')
    await write(one, 'rank-1', '1')
    zero.uploader.start()
    one.uploader.start()
    await untilRecorded(one, { 'rank-0': '0', 'rank-1': '1', state: 'of 0' })
    await write(one, 'state', 'of 1')
    await untilRecorded(one, { 'rank-0': '0', 'rank-1': '1', state: 'of 1' })
    await rm(join(zero.files, 'state'))
    await rm(join(zero.files, 'rank-0'))
    await untilRecorded(one, { 'rank-1': '1', state: 'of 1' })
    expect(await zero.uploader.finish('finished')).toBeNull()
    expect(await one.uploader.finish('finished')).toBeNull()
    expect(await recorded(one)).toEqual({ 'rank-1': '1', state: 'of 1' })
  })
})

describe('two members of a project whose runs have the same name', () => {
  it('run at the same time and never find, replace or remove a checkpoint of each other', async () => {
    const lease = await makeNode({ gpus: 2 })
    const spec = { run_name: 'base' }
    const [ownerId, other] = [await makeUser(), await makeUser()]
    const start = async (userId: string) => {
      await makeJob({ userId, ownerId, spec })
      return beginNext(lease)
    }
    const end = async (one: Opened) => {
      expect(await one.uploader.finish('finished')).toBeNull()
      await finishTask(one.lease, one.task, { reason: 'finished', detail: null, exitCode: 0 })
    }
    const first = await start(ownerId)
    await write(first, 'state', 'of the owner')
    await write(first, 'key', 'private')
    expect(await first.uploader.finish('finished')).toBeNull()
    // The job of the owner has not ended.
    const second = await start(other)
    expect(await readdir(second.files)).toEqual([])
    await write(second, 'state', 'of the other')
    await end(second)
    await finishTask(first.lease, first.task, { reason: 'finished', detail: null, exitCode: 0 })
    expect(await recorded(first)).toEqual({ key: 'private', state: 'of the owner' })
    expect(await recorded(second)).toEqual({ state: 'of the other' })

    const [again, otherAgain] = [await start(ownerId), await start(other)]
    expect((await readdir(again.files)).sort()).toEqual(['key', 'state'])
    expect(await readdir(otherAgain.files)).toEqual(['state'])
    await rm(join(otherAgain.files, 'state'))
    await end(otherAgain)
    await end(again)
    expect(await recorded(again)).toEqual({ key: 'private', state: 'of the owner' })
  })

  it('continue from one another if the members of the project share runs', async () => {
    const lease = await makeNode()
    const [ownerId, other] = [await makeUser(), await makeUser()]
    await makeJob({ userId: ownerId, spec: {}, held: true })
    await db.pool.query('UPDATE projects SET share_runs = true WHERE owner_id = $1', [ownerId])
    await db.pool.query('DELETE FROM jobs WHERE user_id = $1', [ownerId])
    const spec = { run_name: 'ours' }
    await makeJob({ userId: ownerId, spec })
    const first = await beginNext(lease)
    await write(first, 'state', 'of all')
    expect(await first.uploader.finish('finished')).toBeNull()
    await finishTask(first.lease, first.task, { reason: 'finished', detail: null, exitCode: 0 })
    await makeJob({ userId: other, ownerId, spec })
    const second = await beginNext(lease)
    expect(await readFile(join(second.files, 'state'), 'utf8')).toBe('of all')
    expect(await second.uploader.finish('finished')).toBeNull()
  })
})

describe('retention', () => {
  it('deletes the checkpoints of a run after its retention, never those of a live one', async () => {
    const run = await begin()
    await write(run, 'state', 'x')
    expect(await run.uploader.finish('finished')).toBeNull()
    const stray = checkpointKey(run.run, '019ab000-0000-7000-8000-000000000000')
    await bucket.write(stray, parts('x'))
    await db.pool.query(`UPDATE checkpoint_files SET stored_at = now() - interval '9 days'`)
    await db.pool.query('UPDATE projects SET retention_days = 7')
    const sweep = () => sweepCheckpoints(bucket, new Date(0))
    await sweep()
    expect(await recorded(run)).toEqual({ state: 'x' })
    await finishTask(run.lease, run.task, { reason: 'finished', detail: null, exitCode: 0 })
    await sweep()
    expect(await recorded(run)).toEqual({ state: 'x' })
    await db.pool.query(`UPDATE jobs SET ended_at = now() - interval '8 days'`)
    await sweep()
    expect(await recorded(run)).toEqual({})
    // The object without a row is old enough at some point.
    expect(await objects()).toEqual([stray])
    await sweepCheckpoints(bucket, new Date())
    expect(await objects()).toEqual([])
  })
})
