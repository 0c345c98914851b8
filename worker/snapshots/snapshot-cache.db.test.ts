import { createHash, randomBytes } from 'node:crypto'
import {
  appendFile,
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uuidv7 } from 'uuidv7'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeJob } from '@/lib/cluster/testing/rows'
import { testDatabase } from '@/lib/database/testing/test-database'
import { diskStore } from '@/lib/storage/disk'
import { setFreeBytes } from '@/lib/storage/free-space'
import { setStorage } from '@/lib/storage/storage'
import type { ObjectStore } from '@/lib/storage/store'
import { storeArchive, type UploadedEntry } from '../testing/uploaded-directory'
import { readState } from './directory-state'
import { type MountedSnapshot, SnapshotCache, type SnapshotCacheOptions } from './snapshot-cache'

const db = testDatabase()
const MiB = 1024 * 1024
let root: string
let directory: string
let projectId: string
/** How often each object was read from the store. */
let opened: string[]
/** Called before an object is read. */
let onOpen: (key: string) => Promise<void>

beforeAll(async () => {
  const jobId = await makeJob()
  const { rows } = await db.pool.query<{ project_id: string }>('SELECT project_id FROM jobs WHERE id = $1', [
    jobId,
  ])
  projectId = rows[0]?.project_id ?? ''
})
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-snapshots-'))
  directory = join(root, 'cache')
  const disk = diskStore(root)
  opened = []
  onOpen = async () => {}
  const counting: ObjectStore = {
    ...disk,
    open: async (key, range) => {
      opened.push(key)
      await onOpen(key)
      return disk.open(key, range)
    },
  }
  setStorage(counting)
})
afterEach(async () => {
  setFreeBytes(null)
  await rm(root, { recursive: true })
})
afterAll(() => setFreeBytes(null))

async function open(changes: Partial<SnapshotCacheOptions> = {}): Promise<SnapshotCache> {
  const cache = new SnapshotCache({
    directory,
    node: 'node-a',
    limitBytes: 1024 * MiB,
    minFreeBytes: 0,
    readMounted: async () => new Set(),
    ...changes,
  })
  await cache.open()
  return cache
}

async function make(files: Record<string, UploadedEntry>, name = 'data/set@1'): Promise<MountedSnapshot> {
  const place = { database: db, blobsDirectory: join(root, 'blobs') }
  return { name, ...(await storeArchive(place, projectId, files)) }
}

const makeOf = (bytes: number) => make({ [`file-${randomBytes(4).toString('hex')}`]: randomBytes(bytes) })

function acquire(
  cache: SnapshotCache,
  snapshot: MountedSnapshot,
  { task = uuidv7(), signal = new AbortController().signal, note = (_: string) => {} } = {},
): Promise<string> {
  return cache.acquire(task, snapshot, { note, signal })
}

const isCached = (snapshot: MountedSnapshot) =>
  stat(join(directory, 'ready', snapshot.hash)).then(
    () => true,
    () => false,
  )

/** Work waits at it until it is opened. */
function makeGate(): { passed: Promise<void>; open: () => void } {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}

const partials = () => readdir(join(directory, 'partial'))

describe('a snapshot', () => {
  it('is unpacked with its files, programs and links, and nobody can write to it', async () => {
    const cache = await open()
    const snapshot = await make({
      'a/b/c.txt': 'text',
      'a/run.sh': { program: '#!/bin/sh\n' },
      'a/link': { target: 'b/c.txt' },
      'dangling link': { target: 'nothing' },
      empty: '',
    })
    const before = process.umask(0o077)
    const path = await acquire(cache, snapshot).finally(() => process.umask(before))
    expect(await readFile(join(path, 'a/link'), 'utf8')).toBe('text')
    const modes = await Promise.all(
      ['', 'a', 'a/b', 'a/b/c.txt', 'a/run.sh', 'empty'].map(
        async (name) => (await lstat(join(path, name))).mode & 0o7777,
      ),
    )
    expect(modes).toEqual([0o755, 0o755, 0o755, 0o444, 0o555, 0o444])
    expect((await lstat(join(path, 'dangling link'))).isSymbolicLink()).toBe(true)
    expect(await partials()).toEqual([])
  })

  it('is read from the store once, for all tasks that wait, and for those that come later', async () => {
    const cache = await open()
    const snapshot = await make({ one: 'one', two: 'two' })
    const paths = await Promise.all(Array.from({ length: 10 }, () => acquire(cache, snapshot)))
    paths.push(await acquire(cache, snapshot))
    expect(new Set(paths).size).toBe(1)
    expect(opened).toHaveLength(2)
  })

  it('stays after the worker has restarted', async () => {
    const snapshot = await make({ one: 'one' })
    const path = await acquire(await open(), snapshot)
    expect(await acquire(await open(), snapshot)).toBe(path)
    expect(opened).toHaveLength(1)
  })

  it('is unpacked to the end for a task that waits, although the first one was cancelled', async () => {
    const cache = await open()
    const snapshot = await make({ one: 'one' })
    const gate = makeGate()
    onOpen = () => gate.passed
    const cancelled = new AbortController()
    const first = acquire(cache, snapshot, { signal: cancelled.signal })
    const second = acquire(cache, snapshot)
    cancelled.abort(new Error('cancelled'))
    await expect(first).rejects.toThrow('cancelled')
    gate.open()
    expect(await readFile(join(await second, 'one'), 'utf8')).toBe('one')
    expect(opened).toHaveLength(1)
  })

  it('leaves nothing if all tasks were cancelled, and the next task gets it', async () => {
    const cache = await open()
    const snapshot = await make({ one: randomBytes(5 * MiB), two: 'two' })
    const reached = makeGate()
    const gate = makeGate()
    onOpen = async () => {
      reached.open()
      await gate.passed
    }
    const cancelled = new AbortController()
    const first = acquire(cache, snapshot, { signal: cancelled.signal })
    await reached.passed
    cancelled.abort(new Error('cancelled'))
    await expect(first).rejects.toThrow('cancelled')
    gate.open()
    await expect.poll(partials).toEqual([])
    expect(await isCached(snapshot)).toBe(false)
    await acquire(cache, snapshot)
    expect(await isCached(snapshot)).toBe(true)
  })

  it('is unpacked again after an interruption, whose files are removed at the start', async () => {
    const snapshot = await make({ one: 'one' })
    await open()
    await mkdir(join(directory, 'partial', 'of-a-killed-worker', 'files'), { recursive: true })
    await writeFile(join(directory, 'partial', 'of-a-killed-worker', 'files', 'one'), 'o')
    const cache = await open()
    expect(await partials()).toEqual([])
    expect(await readFile(join(await acquire(cache, snapshot), 'one'), 'utf8')).toBe('one')
  })
})

describe('a directory that was changed on the disk', () => {
  const changes: [string, (path: string) => Promise<unknown>][] = [
    ['a byte was appended', (path) => appendFile(join(path, 'sub/one'), '!')],
    [
      'a byte was changed, with the old size and time',
      async (path) => {
        const { atime, mtime } = await stat(join(path, 'sub/one'))
        await chmod(join(path, 'sub/one'), 0o644)
        await writeFile(join(path, 'sub/one'), 'eno')
        await chmod(join(path, 'sub/one'), 0o444)
        await utimes(join(path, 'sub/one'), atime, mtime)
      },
    ],
    ['a file was removed', (path) => rm(join(path, 'sub/one'))],
    ['a file was added', (path) => writeFile(join(path, 'sub/other'), '')],
    ['an empty directory was added', (path) => mkdir(join(path, 'sub/other'))],
    [
      'a file was replaced by a link to the outside',
      async (path) => {
        await rm(join(path, 'sub/one'))
        await symlink('/etc/passwd', join(path, 'sub/one'))
      },
    ],
    [
      'a link leads elsewhere',
      async (path) => {
        await rm(join(path, 'link'))
        await symlink('sub', join(path, 'link'))
      },
    ],
    ['a file became executable', (path) => chmod(join(path, 'sub/one'), 0o755)],
    ['all files were removed', (path) => rm(path, { recursive: true })],
    ['the record was damaged', (path) => writeFile(join(path, '../record.json'), '{')],
    ['the record was removed', (path) => rm(join(path, '../record.json'))],
  ]
  const ofFiles = changes.filter(([what]) => !what.includes('record'))
  it.each([
    ...changes.map(([what, change]) => ({ what, change, when: 'after the first use', uses: 1 })),
    ...ofFiles.map(([what, change]) => ({ what, change, when: 'after the third use', uses: 3 })),
  ])('is unpacked again: $what $when', async ({ change, uses }) => {
    const cache = await open()
    const snapshot = await make({ 'sub/one': 'one', link: { target: 'sub/one' } })
    const path = await acquire(cache, snapshot)
    for (let use = 1; use < uses; use++) await acquire(cache, snapshot)
    await change(path)
    expect(await acquire(cache, snapshot)).toBe(path)
    expect(await readFile(join(path, 'link'), 'utf8')).toBe('one')
    expect(await readdir(join(path, 'sub'))).toEqual(['one'])
    expect((await lstat(join(path, 'sub/one'))).mode & 0o777).toBe(0o444)
    expect(opened).toHaveLength(2)
    expect(await readdir(join(directory, 'withdrawn'))).toEqual([])
  })

  it('is kept if only its times have changed: the content is read, but not transferred', async () => {
    const cache = await open()
    const snapshot = await make({ one: 'one' })
    const path = await acquire(cache, snapshot)
    await utimes(join(path, 'one'), 1, 1)
    await acquire(cache, snapshot)
    expect(opened).toHaveLength(1)
    expect((await stat(join(path, 'one'))).mtimeMs).toBe(1000)
  })

  it('is read once after a start of the machine, and unpacked again if the disk has lost data', async () => {
    const cache = await open()
    const [intact, damaged] = [await make({ one: 'one' }), await make({ two: 'two' })]
    for (const snapshot of [intact, damaged]) {
      const path = await acquire(cache, snapshot)
      if (snapshot === damaged) {
        await chmod(join(path, 'two'), 0o644)
        await writeFile(join(path, 'two'), '\0\0\0')
        await chmod(join(path, 'two'), 0o444)
      }
      const recordPath = join(path, '../record.json')
      const record = JSON.parse(await readFile(recordPath, 'utf8'))
      const { fingerprint } = await readState(path)
      await writeFile(recordPath, JSON.stringify({ ...record, fingerprint, bootId: 'an earlier boot' }))
    }
    expect(await readFile(join(await acquire(cache, intact), 'one'), 'utf8')).toBe('one')
    expect(await readFile(join(await acquire(cache, damaged), 'two'), 'utf8')).toBe('two')
    expect(opened).toHaveLength(3)
    const record = await readFile(join(directory, 'ready', intact.hash, 'record.json'), 'utf8')
    expect(record).not.toContain('an earlier boot')
  })

  it('keeps its files for the containers that mount them', async () => {
    const mounted = new Set<string>()
    const cache = await open({ readMounted: async () => mounted })
    const snapshot = await make({ one: 'one' })
    const path = await acquire(cache, snapshot)
    mounted.add(snapshot.hash)
    await appendFile(join(path, 'one'), '!')
    const task = uuidv7()
    await acquire(cache, snapshot, { task })
    const withdrawn = await readdir(join(directory, 'withdrawn'))
    expect(withdrawn).toHaveLength(1)
    expect(await readFile(join(directory, 'withdrawn', withdrawn[0] ?? '', 'files/one'), 'utf8')).toBe('one!')
    mounted.clear()
    await cache.release(task)
    expect(await readdir(join(directory, 'withdrawn'))).toEqual([])
  })
})

describe('the limit', () => {
  it('removes the least recently used directories, but none that a task or a container uses', async () => {
    const mounted = new Set<string>()
    const cache = await open({ limitBytes: 3.5 * MiB, readMounted: async () => mounted })
    const snapshots = [await makeOf(MiB), await makeOf(MiB), await makeOf(MiB), await makeOf(MiB)]
    const [held, container, unused, newest] = snapshots as [
      MountedSnapshot,
      MountedSnapshot,
      MountedSnapshot,
      MountedSnapshot,
    ]
    mounted.add(container.hash)
    await acquire(cache, held)
    for (const snapshot of [container, unused, newest]) {
      const task = uuidv7()
      await acquire(cache, snapshot, { task })
      await cache.release(task)
    }
    expect(await Promise.all(snapshots.map(isCached))).toEqual([true, true, false, true])
  })

  it('uses the time of the last use, not of the unpacking', async () => {
    const cache = await open({ limitBytes: 2.5 * MiB })
    const [one, two, three] = [await makeOf(MiB), await makeOf(MiB), await makeOf(MiB)]
    for (const snapshot of [one, two, one, three]) {
      const task = uuidv7()
      await acquire(cache, snapshot, { task })
      await cache.release(task)
    }
    expect(await Promise.all([one, two, three].map(isCached))).toEqual([true, false, true])
  })

  it('lets tasks use more than the limit at the same time, and removes the rest when they end', async () => {
    const cache = await open({ limitBytes: 1.5 * MiB })
    const snapshots = [await makeOf(MiB), await makeOf(MiB), await makeOf(2 * MiB)]
    const tasks = snapshots.map(() => uuidv7())
    for (const [index, snapshot] of snapshots.entries()) {
      await acquire(cache, snapshot, { task: tasks[index] ?? '' })
    }
    expect(await Promise.all(snapshots.map(isCached))).toEqual([true, true, true])
    for (const task of tasks) await cache.release(task)
    const left = await Promise.all(snapshots.map(isCached))
    expect(left.filter(Boolean).length).toBeLessThanOrEqual(1)
  })

  it('the limit of 0 keeps nothing that no job uses', async () => {
    const cache = await open({ limitBytes: 0 })
    const [snapshot, task] = [await makeOf(MiB), uuidv7()]
    await acquire(cache, snapshot, { task })
    expect(await isCached(snapshot)).toBe(true)
    await cache.release(task)
    expect(await isCached(snapshot)).toBe(false)
  })

  it('is half of the space that would be free without the cache, if it is not set', async () => {
    const cached = async () => (await readdir(join(directory, 'ready')).catch(() => [])).length
    setFreeBytes(async () => 4.5 * MiB - (await cached()) * MiB)
    const cache = await open({ limitBytes: null })
    const snapshots = [await makeOf(MiB), await makeOf(MiB), await makeOf(MiB)]
    for (const snapshot of snapshots) {
      const task = uuidv7()
      await acquire(cache, snapshot, { task })
      await cache.release(task)
    }
    expect(await Promise.all(snapshots.map(isCached))).toEqual([false, true, true])
  })

  it('applies at the start of a worker whose limit became smaller', async () => {
    const snapshots = [await makeOf(MiB), await makeOf(MiB)]
    const first = await open()
    for (const snapshot of snapshots) await acquire(first, snapshot)
    await open({ limitBytes: 1.5 * MiB })
    expect(await Promise.all(snapshots.map(isCached))).toEqual([false, true])
  })

  it('removes nothing while the engine does not say what is mounted', async () => {
    const snapshot = await makeOf(MiB)
    const task = uuidv7()
    const cache = await open({
      limitBytes: 0,
      readMounted: () => Promise.reject(new Error('the engine is down')),
    })
    await acquire(cache, snapshot, { task })
    await cache.release(task)
    expect(await isCached(snapshot)).toBe(true)
  })
})

describe('a disk without space', () => {
  it('gets a snapshot after unused ones were removed, and otherwise the error names node and disk', async () => {
    let free = 10 * MiB
    setFreeBytes(async () => free)
    const cache = await open({ minFreeBytes: 4 * MiB })
    const [old, large, larger] = [await makeOf(MiB), await makeOf(5 * MiB), await makeOf(7 * MiB)]
    const task = uuidv7()
    await acquire(cache, old, { task })
    await cache.release(task)
    free = 9 * MiB
    const other = uuidv7()
    await expect(acquire(cache, larger, { task: other })).rejects.toMatchObject({
      reason: 'snapshot_unavailable',
      message: `The disk of node-a with ${directory} has 9.0 MiB free, and 4.0 MiB must stay free: data/set@1 does not fit. Free some space there, or set a smaller GPUQ_SNAPSHOT_CACHE_GIB.`,
    })
    expect(await Promise.all([old, larger].map(isCached))).toEqual([false, false])
    free = 10 * MiB
    await acquire(cache, large)
    expect(await isCached(large)).toBe(true)
    expect(await partials()).toEqual([])
  })

  it('is not promised twice to directories that are unpacked at the same time', async () => {
    setFreeBytes(async () => 10 * MiB)
    const cache = await open()
    const gate = makeGate()
    onOpen = () => gate.passed
    const [one, two] = [await makeOf(6 * MiB), await makeOf(6 * MiB)]
    const both = Promise.allSettled([acquire(cache, one), acquire(cache, two)])
    await expect.poll(() => opened.length).toBe(1)
    gate.open()
    expect((await both).map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })
})

describe('a hostile or damaged record', () => {
  const sha256 = createHash('sha256').update('one').digest('hex')
  const file = { path: 'one', bytes: 3, sha256 }

  async function makeRecord(entries: unknown[], project = projectId): Promise<MountedSnapshot> {
    const manifest = { version: 1, entries }
    const hash = createHash('sha256').update(JSON.stringify(manifest)).digest('hex')
    const archiveId = uuidv7()
    await db.pool.query(
      'INSERT INTO archives (id, project_id, hash, manifest, files, bytes) VALUES ($1, $2, $3, $4, 1, 3)',
      [archiveId, project, Buffer.from(hash, 'hex'), JSON.stringify(manifest)],
    )
    return { name: 'data/set@1', archiveId, hash }
  }

  const hostile: [string, unknown[]][] = [
    ['a path outside', [{ ...file, path: '../../one' }]],
    ['an absolute path', [{ ...file, path: '/etc/one' }]],
    ['a link to an absolute path', [file, { path: 'link', target: '/etc/passwd' }]],
    ['a link that leads outside', [file, { path: 'a/link', target: '../../x' }]],
    ['a file below a link', [file, { path: 'link', target: '.' }, { ...file, path: 'link/two' }]],
    ['the same path twice', [file, file]],
    [
      'more files than allowed',
      Array.from({ length: 50_001 }, (_, index) => ({ ...file, path: `f${index}` })),
    ],
    ['no files', []],
  ]
  it.each(hostile)('is refused before anything is written: %s', async (_, entries) => {
    const cache = await open()
    const snapshot = await makeRecord(entries)
    await expect(acquire(cache, snapshot)).rejects.toMatchObject({
      reason: 'snapshot_unavailable',
      message: 'The list of files of the snapshot data/set@1 is damaged. Upload it again.',
    })
    expect(opened).toEqual([])
    expect(await partials()).toEqual([])
    expect(await isCached(snapshot)).toBe(false)
  })

  it('is refused if its hash is another one', async () => {
    const snapshot = { ...(await make({ one: 'one' })), hash: 'ab'.repeat(32) }
    await expect(acquire(await open(), snapshot)).rejects.toMatchObject({
      message: expect.stringContaining('is damaged'),
    })
  })

  it('gives nothing if the snapshot was deleted', async () => {
    const snapshot = { ...(await make({ one: 'one' })), archiveId: null }
    await expect(acquire(await open(), snapshot)).rejects.toMatchObject({
      message: 'The snapshot data/set@1 was deleted.',
    })
  })

  it('gives nothing partial if the store lacks a file, and the next task may find it', async () => {
    const cache = await open()
    const snapshot = await make({ one: 'one', two: 'two' })
    await rm(join(root, 'blobs', projectId, sha256))
    await expect(acquire(cache, snapshot)).rejects.toMatchObject({
      reason: 'snapshot_unavailable',
      message: 'The snapshot data/set@1 could not be read from the store on node-a. Check the storage.',
    })
    expect(await partials()).toEqual([])
    await make({ one: 'one' } satisfies Record<string, UploadedEntry>)
    expect(await readdir(await acquire(cache, snapshot))).toEqual(['one', 'two'])
  })

  it('does not give the contents of another project', async () => {
    const { rows } = await db.pool.query<{ project_id: string }>(
      'SELECT project_id FROM jobs WHERE id = $1',
      [await makeJob()],
    )
    await make({ one: 'one' })
    const snapshot = await makeRecord([file], rows[0]?.project_id)
    await expect(acquire(await open(), snapshot)).rejects.toMatchObject({ reason: 'snapshot_unavailable' })
  })
})
