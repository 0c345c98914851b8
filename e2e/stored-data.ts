import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findStored } from '@/lib/access/testing/people'
import { connect, type Database, setDatabase } from '@/lib/database/client'
import { theSystem } from './system/the-system'

let connected: Database | undefined

/** Direct access to the system's database. */
export function storedData(): Database {
  if (!connected) {
    connected = connect(theSystem().databaseUrl, 2)
    setDatabase(connected)
  }
  return connected
}

/** Counts the rows that a user's submissions create. */
export async function countStored(handle: string): Promise<{ jobs: number; projects: number; keys: number }> {
  const { rows } = await storedData().pool.query<{ jobs: number; projects: number; keys: number }>(
    `SELECT (SELECT count(*) FROM jobs WHERE user_id = u.id)::int AS jobs,
            (SELECT count(*) FROM projects WHERE owner_id = u.id)::int AS projects,
            (SELECT count(*) FROM idempotency_keys WHERE user_id = u.id)::int AS keys
       FROM users u WHERE handle = $1`,
    [handle],
  )
  if (!rows[0]) throw new Error(`there is no user ${handle}`)
  return rows[0]
}

/**
 * Finds where any of the texts is stored: in a database row, or in a file of the data directory, which
 * contains the logs, the results and PostgreSQL's files.
 */
export async function findStoredTexts(texts: readonly string[]): Promise<string[]> {
  const { dataDir } = theSystem()
  storedData()
  const rows = await findStored(texts)
  const needles = texts.map((text) => Buffer.from(text))
  const files = []
  for await (const path of listFiles(dataDir)) {
    // Files may disappear while the system runs.
    const bytes = await readFile(path).catch(() => Buffer.alloc(0))
    if (needles.some((needle) => bytes.includes(needle))) files.push(path)
  }
  return [...rows, ...files]
}

/** Directories may disappear too, and then a recursive `readdir` fails. */
async function* listFiles(directory: string): AsyncGenerator<string> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return []
  })
  for (const entry of entries) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) yield* listFiles(path)
    else if (entry.isFile()) yield path
  }
}
