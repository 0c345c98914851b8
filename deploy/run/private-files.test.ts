import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { secretOfDirectory } from '@/lib/access/sessions/session-secret'
import { closeDataDirectory } from '@/lib/storage/data-directory'
import { diskStore } from '@/lib/storage/disk'
import { closeRuns } from '@/worker/checkpoints/run-directory'
import { neighbour, reachFrom } from '@/worker/testing/neighbour'
import { readRecord, thisProcess, writeRecord } from '../engine/engine-record.mjs'
import { lockDataDir } from './instance-lock.mjs'
import { supervise } from './supervise'

let dataDir: string
let umask: number
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'gpuq-private-'))
  // The permissions must not depend on the umask of whoever starts gpuq.
  umask = process.umask(0)
})
afterEach(() => {
  process.umask(umask)
  rmSync(dataDir, { recursive: true })
})

/** Every file below the data directory, with its permissions in octal. */
function permissions(): Record<string, string> {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return Object.fromEntries(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [relative(dataDir, path), (statSync(path).mode & 0o777).toString(8)])
      .sort(),
  )
}

it('lets nobody else read a file that gpuq writes to the data directory', async () => {
  const { release } = lockDataDir(dataDir, 8001)
  writeRecord(dataDir, { ...thisProcess(), host: 'unix:///run/docker.sock', owner: thisProcess() })
  await secretOfDirectory(dataDir)
  await diskStore(dataDir).write('results/a_b_1.jsonl', Readable.from([Buffer.from('{}')]))
  const logFile = join(dataDir, 'logs', 'web.log')
  const args = ['-e', 'console.log("up"); setInterval(() => {}, 1000)']
  const web = supervise({ name: 'web', args, env: process.env, logFile }, () => {})
  await vi.waitFor(() => expect(statSync(logFile).size).toBeGreaterThan(0), { timeout: 60_000 })
  // A file that is missing in this list is new: decide who may read it. Logs contain no secrets, and admins read them.
  expect(permissions()).toEqual({
    'engine.json': '600',
    'logs/web.log': '640',
    'results/a_b_1.jsonl': '600',
    'running.json': '600',
    'session-secret': '600',
  })
  await web.stop(1000)
  release()
})

it('corrects the permissions of a file that an earlier version wrote', () => {
  writeFileSync(join(dataDir, 'engine.json'), '{}')
  chmodSync(join(dataDir, 'engine.json'), 0o644)
  const record = { ...thisProcess(), host: 'unix:///run/docker.sock', owner: thisProcess() }
  writeRecord(dataDir, record)
  expect(permissions()).toEqual({ 'engine.json': '600' })
  expect(readRecord(dataDir)).toEqual(record)
})

const isRoot = process.geteuid?.() === 0

/** The data directory of version 0.2.0, without its database. */
function unpackOldData(): void {
  const packed = join(import.meta.dirname, '../backup/testing/gpuq-0.2.0-main-data.tgz')
  execFileSync('tar', ['-xpzf', packed, '-C', dataDir, '--exclude=./postgres'])
}

it('closes what an earlier version left open to other accounts, and keeps the modes of the files in it', async () => {
  unpackOldData()
  writeFileSync(join(dataDir, 'tasks.txt'), 'a note of the admin')
  const before = permissions()
  const checkpoints = join(dataDir, 'checkpoints')
  const [project = ''] = readdirSync(checkpoints)
  expect(statSync(checkpoints).mode & 0o777).toBe(0o755)
  await closeDataDirectory(dataDir)
  expect(permissions()).toEqual(before)
  for (const name of ['artifacts', 'blobs', 'checkpoints', 'results'])
    expect([name, statSync(join(dataDir, name)).mode & 0o777]).toEqual([name, 0o700])
  // On a shared disk, the directory itself is the admin's, and only those of the projects are closed.
  chmodSync(checkpoints, 0o755)
  expect(await closeRuns(checkpoints)).toEqual([])
  expect(statSync(join(checkpoints, project)).mode & 0o777).toBe(0o700)
  expect(statSync(checkpoints).mode & 0o777).toBe(0o755)
})

it('leaves stored files that a link has on another disk, but closes those of tasks', async () => {
  for (const name of ['disk', 'tasks']) mkdirSync(join(dataDir, name), { mode: 0o755 })
  symlinkSync(join(dataDir, 'disk'), join(dataDir, 'results'))
  await closeDataDirectory(dataDir)
  const modes = ['disk', 'tasks'].map((name) => statSync(join(dataDir, name)).mode & 0o777)
  expect(modes).toEqual([0o755, 0o700])
  symlinkSync(join(dataDir, 'disk'), join(dataDir, 'snapshots'))
  await expect(closeDataDirectory(dataDir)).rejects.toThrow('chmod 700')
})

it.runIf(isRoot)('another account reads nothing in a corrected data directory', async () => {
  unpackOldData()
  const reachedPaths = async () => (await reachFrom(neighbour, dataDir, 'no secret')).paths
  expect(await reachedPaths()).toContainEqual(expect.stringMatching(/last\.pt$/))
  await closeDataDirectory(dataDir)
  expect(await reachedPaths()).toEqual([])
})
