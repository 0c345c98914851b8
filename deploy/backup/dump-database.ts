import type pg from 'pg'
import { entryNames } from './backup-format'
import type { BackupWriter } from './backup-writer'

/** Rows that are fetched at once. Rows with code or output can have a megabyte each. */
const rowsAtOnce = 200
const entryBytes = 8 * 1024 * 1024

type Client = Pick<pg.Client, 'query' | 'escapeIdentifier'>

/** Prisma writes its own table when the migrations are applied. */
const notDumped = '_prisma_migrations'

/** The names of gpuq's tables in the database of the connection. */
export async function listTables(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname <> $1 ORDER BY 1`,
    [notDumped],
  )
  return rows.map(({ name }) => name)
}

/** The migrations that the database has. */
export async function readAppliedMigrations(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT migration_name AS name FROM _prisma_migrations
      WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name`,
  )
  return rows.map(({ name }) => name)
}

/**
 * Writes all rows of the snapshot that the client's transaction sees. Rows are JSON, as PostgreSQL converts them: it
 * converts them back without a loss, and people can read them.
 * @returns the number of rows of each table
 */
export async function dumpDatabase(
  client: Client,
  writer: BackupWriter,
  onProgress: (note: string) => void,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of await listTables(client)) {
    counts[table] = await dumpTable(client, table, writer, (rows) =>
      onProgress(`${table}, ${rows.toLocaleString('en')} rows`),
    )
  }
  // Sequences are not part of a snapshot: a later value is as good, because it was never used.
  const { rows: sequences } = await client.query<{ name: string; value: string | null }>(
    `SELECT sequencename AS name, last_value::text AS value FROM pg_sequences
      WHERE schemaname = current_schema() ORDER BY 1`,
  )
  await writer.add(entryNames.sequences, JSON.stringify(sequences))
  return counts
}

async function dumpTable(
  client: Client,
  table: string,
  writer: BackupWriter,
  onProgress: (rows: number) => void,
): Promise<number> {
  const name = client.escapeIdentifier(table)
  await client.query(`DECLARE dump NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS line FROM ${name} t`)
  let count = 0
  let entries = 0
  let lines: string[] = []
  let size = 0
  const flush = async () => {
    if (lines.length === 0) return
    entries += 1
    const number = String(entries).padStart(6, '0')
    await writer.add(`${entryNames.database}${table}/${number}.jsonl`, lines.join(''))
    lines = []
    size = 0
  }
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`FETCH ${rowsAtOnce} FROM dump`)
    if (rows.length === 0) break
    for (const { line } of rows) {
      lines.push(`${line}\n`)
      size += line.length
      if (size >= entryBytes) await flush()
    }
    count += rows.length
    onProgress(count)
  }
  await flush()
  await client.query('CLOSE dump')
  return count
}
