import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import pg from 'pg'
import { listMigrations, migrate } from '@/lib/database/migrate'
import type { ObjectStore } from '@/lib/storage/store'
import type { Report } from '../run/report.mjs'
import { formatBytes } from '../run/report.mjs'
import {
  type BackupHead,
  type BackupManifest,
  backupFormat,
  bucketLineSchema,
  entryNames,
  headSchema,
  manifestSchema,
} from './backup-format'
import { type BackupEntry, readBackup } from './backup-reader'
import { restoreCheckpoint } from './checkpoint-tree'
import { type DatabaseObject, dropNewObjects, listObjects } from './drop-new-objects'
import { listTables } from './dump-database'
import { DatabaseLoad } from './load-database'

export interface RestoreTarget {
  /** The address of an empty database. */
  url: string
  dataDir: string
  bucket: string | null
  store: ObjectStore
  checkpointsDirectory: string
}

export interface Restored {
  head: BackupHead
  manifest: BackupManifest
  /** The migrations that are newer than the backup. */
  applied: string[]
  /** Files of the bucket's list that the bucket does not have. */
  missing: string[]
}

/** @throws if the directory exists and has an entry. */
export async function requireEmptyDirectory(directory: string): Promise<void> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  if (names.length === 0) return
  throw new Error(
    `${directory} is not empty. A restore never overwrites data. Choose another directory with --data-dir or GPUQ_DATA_DIR, or move this one away.`,
  )
}

/** Removes what a failed restore has left in a directory that was empty. */
export async function emptyDirectory(directory: string): Promise<void> {
  for (const name of await readdir(directory))
    await rm(join(directory, name), { recursive: true, force: true })
}

/**
 * Restores a backup into an empty database and an empty data directory, and applies newer migrations. The rows are
 * committed only after every checksum has been compared. If the restore fails, the database is empty again.
 */
export async function restoreBackup(
  file: string,
  target: RestoreTarget,
  { report, signal }: { report: Report; signal: AbortSignal },
): Promise<Restored> {
  const before = await requireEmptyDatabase(target.url)
  const restore = new Restore(target)
  try {
    return await restoreInto(file, target, restore, { report, signal })
  } catch (error) {
    // Its transaction has locked the tables.
    await restore.close()
    await dropNewObjects(target.url, before).catch(() =>
      report.line('  The database could not be emptied. Drop it and create it again before you try again.'),
    )
    throw error
  } finally {
    await restore.close()
  }
}

async function restoreInto(
  file: string,
  target: RestoreTarget,
  restore: Restore,
  { report, signal }: { report: Report; signal: AbortSignal },
): Promise<Restored> {
  await report.step(
    'Backup read and verified',
    (progress) =>
      readBackup(file, (entry) => restore.handle(entry), {
        signal,
        onProgress: (bytes, size) => progress(`${formatBytes(bytes)} of ${formatBytes(size)}`),
      }),
    formatBytes,
  )
  const read = await restore.finish()
  const { applied } = await report.step(
    'Database schema',
    (onProgress) => migrate(target.url, undefined, { onProgress, signal }),
    (done) => (done.applied.length > 0 ? `${done.applied.length} newer migrations applied` : 'up to date'),
  )
  return { ...read, applied }
}

/** Returns what the database has apart from tables, such as the functions of an extension. */
async function requireEmptyDatabase(url: string): Promise<DatabaseObject[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    if ((await listTables(client)).length === 0) return await listObjects(client)
  } finally {
    await client.end()
  }
  throw new Error(
    'The database is not empty. A restore never overwrites data. Create a new database and set DATABASE_URL to it. If a restore was killed there, drop that database and create it again.',
  )
}

/** The state of one restore: the entries arrive in the order in which a backup has them. */
class Restore {
  #head: BackupHead | null = null
  #manifest: BackupManifest | null = null
  #load: DatabaseLoad | null = null
  #files = 0
  #checkpoints = 0
  readonly #missing: string[] = []

  constructor(private readonly target: RestoreTarget) {}

  async handle(entry: BackupEntry): Promise<void> {
    const { name, content } = entry
    if (name === entryNames.head) return this.#begin(await textOf(entry))
    if (this.#load === null) {
      throw new Error('This file is not a backup of gpuq. Use one that `gpuq backup` has written.')
    }
    if (name === entryNames.sequences) return this.#load.setSequences(await textOf(entry))
    if (name.startsWith(entryNames.database)) {
      const [, table = ''] = name.split('/')
      return this.#load.addRows(table, await textOf(entry))
    }
    if (name === entryNames.secret) {
      return writeFile(join(this.target.dataDir, entryNames.secret), await textOf(entry), { mode: 0o600 })
    }
    if (name.startsWith(entryNames.files)) {
      await this.target.store.write(name.slice(entryNames.files.length), content)
      this.#files += 1
      return
    }
    if (name === entryNames.bucket) return this.#checkBucket(await textOf(entry))
    if (name.startsWith(entryNames.checkpoints)) {
      await restoreCheckpoint(this.target.checkpointsDirectory, entry)
      this.#checkpoints += 1
      return
    }
    if (name === entryNames.manifest) {
      this.#manifest = manifestSchema.parse(JSON.parse(await textOf(entry)))
      return
    }
    throw new Error(`The backup has an entry ${JSON.stringify(name)}, which this version does not know.`)
  }

  /** Makes the schema of the backup. */
  async #begin(json: string): Promise<void> {
    const head = headSchema.parse(JSON.parse(json))
    const known = new Set(await listMigrations())
    const unknown = head.migrations.filter((name) => !known.has(name))
    if (head.format > backupFormat || unknown.length > 0) {
      throw new Error(
        `The backup is of gpuq ${head.version}, which is newer than this one. Restore it with that version or a later one.`,
      )
    }
    this.#head = head
    await mkdir(this.target.dataDir, { recursive: true })
    await migrate(this.target.url, undefined, { only: head.migrations })
    this.#load = await DatabaseLoad.begin(this.target.url)
  }

  async #checkBucket(lines: string): Promise<void> {
    if (this.target.bucket === null) return
    for (const line of lines.split('\n').filter(Boolean)) {
      const { key } = bucketLineSchema.parse(JSON.parse(line))
      if (!(await this.target.store.has(key))) this.#missing.push(key)
      this.#files += 1
    }
  }

  /** Compares the numbers and commits the rows. All checksums have been compared. */
  async finish(): Promise<Omit<Restored, 'applied'>> {
    const [head, manifest, load] = [this.#head, this.#manifest, this.#load]
    if (head === null || manifest === null || load === null) {
      throw new Error('The backup has no manifest. Use another backup.')
    }
    for (const [table, rows] of Object.entries(manifest.tables)) {
      const restored = load.counts[table] ?? 0
      if (restored !== rows) {
        throw new Error(`The backup has ${rows} rows of ${table}, but ${restored} were restored.`)
      }
    }
    const files = head.bucket === null || this.target.bucket !== null ? manifest.files.count : 0
    if (this.#files !== files || this.#checkpoints !== manifest.checkpoints.count) {
      throw new Error('The numbers of files in the backup and in its manifest differ. Use another backup.')
    }
    await load.skipTimeSince(new Date(head.created_at))
    await load.commit()
    return { head, manifest, missing: this.#missing }
  }

  async close(): Promise<void> {
    await this.#load?.close()
    this.#load = null
  }
}

async function textOf({ content }: BackupEntry): Promise<string> {
  return (await buffer(content)).toString()
}
