import pg from 'pg'
import { z } from 'zod'
import { listTables } from './dump-database'

interface ForeignKey {
  table: string
  name: string
  definition: string
}

const sequencesSchema = z.array(z.object({ name: z.string(), value: z.string().nullable() }))

/**
 * Loads rows into an empty, migrated database, in one transaction. Foreign keys are dropped first and added last, so
 * that tables can be loaded in any order; adding them checks all rows. Triggers do not run.
 */
export class DatabaseLoad {
  readonly #counts: Record<string, number> = {}

  private constructor(
    private readonly client: pg.Client,
    private readonly tables: readonly string[],
    private readonly foreignKeys: readonly ForeignKey[],
  ) {}

  static async begin(url: string): Promise<DatabaseLoad> {
    const client = new pg.Client({ connectionString: url, options: '-c timezone=UTC' })
    client.on('error', () => {})
    await client.connect()
    try {
      await client.query('BEGIN')
      // Between two loads the files are stored, which may take hours.
      await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
      const { rows } = await client.query<ForeignKey>(
        `SELECT conrelid::regclass::text AS "table", quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
           FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`,
      )
      for (const { table, name } of rows) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`)
      const tables = await listTables(client)
      // A migration may have inserted rows. Those of the backup replace them.
      const names = tables.map((table) => client.escapeIdentifier(table))
      await client.query(`TRUNCATE ${names.join(', ')}`)
      // The backup has the rows that triggers wrote, too.
      for (const name of names) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`)
      return new DatabaseLoad(client, tables, rows)
    } catch (error) {
      await client.end()
      throw error
    }
  }

  /** The number of rows that were loaded into each table. */
  get counts(): Readonly<Record<string, number>> {
    return this.#counts
  }

  /** Adds rows, one JSON object per line. */
  async addRows(table: string, lines: string): Promise<void> {
    if (!this.tables.includes(table)) {
      throw new Error(`The backup has rows of a table "${table}", which its migrations do not make.`)
    }
    const name = this.client.escapeIdentifier(table)
    const rows = `[${lines.trimEnd().replaceAll('\n', ',')}]`
    const { rowCount } = await this.client.query(
      `INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, $1::json)`,
      [rows],
    )
    this.#counts[table] = (this.#counts[table] ?? 0) + (rowCount ?? 0)
  }

  /** Continues each sequence after the last number that was used. */
  async setSequences(json: string): Promise<void> {
    for (const { name, value } of sequencesSchema.parse(JSON.parse(json))) {
      if (value === null) continue
      await this.client.query('SELECT setval($1::regclass, $2::bigint)', [
        this.client.escapeIdentifier(name),
        value,
      ])
    }
  }

  /**
   * Moves the begin of each held GPU share by the time since the backup. Its job will be tried again, and nobody is
   * charged for the time in which gpuq did not exist.
   */
  async skipTimeSince(backup: Date): Promise<void> {
    await this.client.query(
      'UPDATE allocations SET created_at = created_at + (now() - $1::timestamptz) WHERE released_at IS NULL',
      [backup],
    )
  }

  async commit(): Promise<void> {
    for (const table of this.tables) {
      await this.client.query(`ALTER TABLE ${this.client.escapeIdentifier(table)} ENABLE TRIGGER USER`)
    }
    for (const { table, name, definition } of this.foreignKeys) {
      await this.client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`)
    }
    await this.client.query('COMMIT')
    // New tables have no statistics, and the first plans of the queries would be slow.
    await this.client.query('ANALYZE')
  }

  /** Ends the connection. What was not committed is rolled back. */
  async close(): Promise<void> {
    await this.client.end()
  }
}
