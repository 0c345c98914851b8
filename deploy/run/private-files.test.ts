import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { secretOfDirectory } from '@/lib/access/sessions/session-secret'
import { diskStore } from '@/lib/storage/disk'
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
