import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { embeddedUrl } from '@/lib/database/embedded'
import { diskStore } from '@/lib/storage/disk'
import type { Report } from '../../run/report.mjs'
import type { RestoreTarget } from '../restore-backup'

const quiet: Report = { step: (_, work) => work(() => {}), line: () => {}, warn: () => {} }
export const quietly = { report: quiet, signal: new AbortController().signal }

/** A new database of the run's PostgreSQL, and a directory below `root` that does not exist yet. */
export async function makeEmptyTarget(root: string): Promise<RestoreTarget> {
  const name = `restored_${randomBytes(6).toString('hex')}`
  const postgres = inject('postgresDirectory')
  const admin = new pg.Client({ connectionString: embeddedUrl(postgres, 'postgres') })
  await admin.connect()
  try {
    await admin.query(`CREATE DATABASE ${name}`)
  } finally {
    await admin.end()
  }
  const dataDir = join(root, name)
  return {
    url: embeddedUrl(postgres, name),
    dataDir,
    bucket: null,
    store: diskStore(dataDir),
    checkpointsDirectory: join(dataDir, 'checkpoints'),
  }
}
