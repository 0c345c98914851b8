import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { type ObjectStore, StorageFault } from '@/lib/storage/store'
import { version } from '../../package.json'
import type { Report } from '../run/report.mjs'
import { formatBytes } from '../run/report.mjs'
import {
  type BackupHead,
  type BackupManifest,
  type BackupProblem,
  backupFormat,
  entryNames,
} from './backup-format'
import { BackupWriter } from './backup-writer'
import { addCheckpoints, type CopiedFiles } from './checkpoint-tree'
import { dumpDatabase, readAppliedMigrations } from './dump-database'
import { type DescribedFile, listDescribedFiles } from './stored-files'

export interface BackupSource {
  /** The address of the database. */
  url: string
  dataDir: string
  /** The address of the bucket; null: the files are in the data directory. */
  bucket: string | null
  store: ObjectStore
  /** The directory of the checkpoints of runs; null: it is not part of the data directory. */
  checkpointsDirectory: string | null
}

/** How a long step reports. */
interface Step {
  report: Report
  signal: AbortSignal
}

/**
 * Writes a backup while gpuq may run. The database is read in one snapshot. Stored files never change, so those that the
 * snapshot describes can be copied after it.
 */
export async function createBackup(
  source: BackupSource,
  file: string,
  { report, signal }: Step,
): Promise<BackupManifest> {
  const client = new pg.Client({ connectionString: source.url, options: '-c timezone=UTC' })
  client.on('error', () => {})
  await client.connect()
  try {
    const writer = await BackupWriter.create(file)
    try {
      const manifest = await writeAll(client, source, writer, { report, signal })
      signal.throwIfAborted()
      await writer.finish()
      return manifest
    } finally {
      await writer.discard()
    }
  } finally {
    await client.end()
  }
}

async function writeAll(
  client: pg.Client,
  source: BackupSource,
  writer: BackupWriter,
  step: Step,
): Promise<BackupManifest> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const head: BackupHead = {
    format: backupFormat,
    version,
    created_at: new Date().toISOString(),
    migrations: await readAppliedMigrations(client),
    bucket: source.bucket,
  }
  await writer.add(entryNames.head, JSON.stringify(head, null, 2))
  const tables = await step.report.step(
    'Database',
    (progress) => dumpDatabase(client, writer, progress),
    (counts) => `${sum(counts).toLocaleString('en')} rows`,
  )
  const described = await listDescribedFiles(client)
  // A transaction that stays open for hours would keep PostgreSQL from cleaning up.
  await client.query('COMMIT')
  await addSecret(source.dataDir, writer)
  const stored =
    source.bucket === null
      ? await copyFiles(client, source.store, described, writer, step)
      : await listFiles(described, writer)
  const checkpoints = await copyCheckpoints(source.checkpointsDirectory, writer, step)
  const manifest: BackupManifest = {
    tables,
    files: stored.copied,
    checkpoints: checkpoints.copied,
    problems: [...stored.problems, ...checkpoints.problems],
  }
  await writer.add(entryNames.manifest, JSON.stringify(manifest, null, 2))
  return manifest
}

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}

async function addSecret(dataDir: string, writer: BackupWriter): Promise<void> {
  const secret = await readFile(join(dataDir, entryNames.secret)).catch(() => null)
  if (secret !== null) await writer.add(entryNames.secret, secret)
}

interface Copied {
  copied: CopiedFiles
  problems: BackupProblem[]
}

/** A bucket has its own versions and copies. The backup says what must be in it. */
async function listFiles(described: readonly DescribedFile[], writer: BackupWriter): Promise<Copied> {
  await writer.add(entryNames.bucket, described.map((file) => `${JSON.stringify(file)}\n`).join(''))
  const bytes = described.reduce((total, file) => total + file.bytes, 0)
  return { copied: { count: described.length, bytes }, problems: [] }
}

async function copyFiles(
  client: pg.Client,
  store: ObjectStore,
  described: readonly DescribedFile[],
  writer: BackupWriter,
  { report, signal }: Step,
): Promise<Copied> {
  const copied = { count: 0, bytes: 0 }
  const missing: DescribedFile[] = []
  const problems: BackupProblem[] = []
  await report.step(
    'Stored files',
    async (progress) => {
      for (const file of described) {
        signal.throwIfAborted()
        const sha256 = await copyFile(store, file, writer)
        if (sha256 === null) missing.push(file)
        else {
          copied.count += 1
          copied.bytes += file.bytes
          if (sha256 !== file.sha256) problems.push({ path: file.key, problem: 'is damaged in the storage' })
        }
        progress(`${copied.count} of ${described.length}, ${formatBytes(copied.bytes)}`)
      }
    },
    () => `${copied.count}, ${formatBytes(copied.bytes)}`,
  )
  return { copied, problems: [...problems, ...(await explainMissing(client, missing))] }
}

/** Returns the SHA-256 of what was copied; null if there is no such file. */
async function copyFile(
  store: ObjectStore,
  { key }: DescribedFile,
  writer: BackupWriter,
): Promise<string | null> {
  try {
    const { bytes, stream } = await store.open(key)
    return await writer.addStream(`${entryNames.files}${key}`, bytes, stream)
  } catch (error) {
    if (error instanceof StorageFault && error.code === 'not_found') return null
    throw error
  }
}

/** Tells files that gpuq has deleted since the snapshot from files that are lost. */
async function explainMissing(
  client: pg.Client,
  missing: readonly DescribedFile[],
): Promise<BackupProblem[]> {
  if (missing.length === 0) return []
  const current = new Set((await listDescribedFiles(client)).map(({ key }) => key))
  return missing.map(({ key }) => ({
    path: key,
    problem: current.has(key) ? 'is missing in the storage' : 'was deleted while the backup ran',
  }))
}

async function copyCheckpoints(
  directory: string | null,
  writer: BackupWriter,
  { report, signal }: Step,
): Promise<Copied> {
  const exists =
    directory !== null &&
    (await access(directory).then(
      () => true,
      () => false,
    ))
  if (!exists) return { copied: { count: 0, bytes: 0 }, problems: [] }
  const format = ({ count, bytes }: CopiedFiles) => `${count}, ${formatBytes(bytes)}`
  return report.step(
    'Checkpoints',
    (progress) =>
      addCheckpoints(directory, writer, { onProgress: (copied) => progress(format(copied)), signal }),
    ({ copied }) => format(copied),
  )
}
