/**
 * `npm run backup -- FILE` and `npm run restore -- FILE`; also `gpuq backup` and `gpuq restore`. They work on this
 * machine's data directory and database, not through the server. The working directory is the checkout.
 */
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { inspect } from 'node:util'
import { embeddedUrl, startEmbedded } from '@/lib/database/embedded'
import { checkpointsDirectory, env } from '@/lib/env'
import { storage } from '@/lib/storage/storage'
import { findHolder, lockDataDir } from '../run/instance-lock.mjs'
import { createReport } from '../run/report.mjs'
import { readSettings } from '../run/settings.mjs'
import { Stopped, stopOnSignals } from '../run/signals.mjs'
import { createBackup } from './create-backup'
import { describeBackup, describeRestored } from './describe-backup'
import { emptyDirectory, requireEmptyDirectory, restoreBackup } from './restore-backup'

const usage = 'Usage: npm run backup -- FILE, or npm run restore -- FILE'

const report = createReport({ out: process.stderr })
const signal = stopOnSignals({
  onFirst: () => report.line('  Stopping.'),
  onSecond: () => process.exit(130),
})

async function main(): Promise<void> {
  const [action, given, ...more] = process.argv.slice(2)
  if (given === undefined || more.length > 0) throw new Error(usage)
  // npm changes the directory, and says where it was called.
  const file = resolve(process.env.INIT_CWD ?? process.cwd(), given)
  const { dataDir, port } = readSettings(process.env)
  process.env.GPUQ_DATA_DIR = dataDir
  if (action === 'create') await backUp(file, dataDir, port)
  else if (action === 'restore') await restore(file, dataDir, port)
  else throw new Error(usage)
}

async function backUp(file: string, dataDir: string, port: number): Promise<void> {
  const settings = env()
  const checkpoints = checkpointsDirectory(settings)
  const inDataDir = settings.GPUQ_CHECKPOINTS_DIR === undefined
  const manifest = await withDatabase(dataDir, port, (url) =>
    createBackup(
      {
        url,
        dataDir,
        bucket: settings.GPUQ_STORAGE ?? null,
        store: storage(),
        checkpointsDirectory: inDataDir ? checkpoints : null,
      },
      file,
      { report, signal },
    ),
  )
  console.log(describeBackup(file, manifest, settings))
}

/** Uses the database of the running gpuq. Starts it if gpuq does not run, and keeps gpuq from starting meanwhile. */
async function withDatabase<T>(dataDir: string, port: number, work: (url: string) => Promise<T>): Promise<T> {
  const { DATABASE_URL } = env()
  if (DATABASE_URL !== undefined) return work(DATABASE_URL)
  if (!existsSync(join(dataDir, 'postgres'))) {
    throw new Error(
      `${dataDir} has no database of gpuq. Set GPUQ_DATA_DIR to its data directory, or DATABASE_URL to its database.`,
    )
  }
  if (findHolder(dataDir) !== null) return work(embeddedUrl(dataDir))
  const lock = lockDataDir(dataDir, port)
  try {
    const postgres = await startEmbedded(dataDir)
    try {
      return await work(postgres.url)
    } finally {
      await postgres.stop()
    }
  } finally {
    lock.release()
  }
}

async function restore(file: string, dataDir: string, port: number): Promise<void> {
  const settings = env()
  const holder = findHolder(dataDir)
  // With the message for a directory in use, which says more than that it is not empty.
  if (holder !== null) lockDataDir(dataDir, port)
  await requireEmptyDirectory(dataDir)
  await mkdir(dataDir, { recursive: true })
  const lock = lockDataDir(dataDir, port)
  try {
    const postgres = settings.DATABASE_URL === undefined ? await startEmbedded(dataDir) : null
    const target = {
      url: settings.DATABASE_URL ?? embeddedUrl(dataDir),
      dataDir,
      bucket: settings.GPUQ_STORAGE ?? null,
      store: storage(),
      checkpointsDirectory: checkpointsDirectory(settings) ?? join(dataDir, 'checkpoints'),
    }
    try {
      console.log(describeRestored(dataDir, await restoreBackup(file, target, { report, signal }), settings))
    } finally {
      await postgres?.stop()
    }
  } catch (error) {
    await emptyDirectory(dataDir)
    throw error
  } finally {
    lock.release()
  }
}

try {
  await main()
  process.exit()
} catch (error) {
  if (!(error instanceof Stopped)) {
    console.error((error instanceof Error && error.message) || inspect(error))
  }
  process.exit(error instanceof Stopped ? 130 : 1)
}
