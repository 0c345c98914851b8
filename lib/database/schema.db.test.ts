import { randomBytes } from 'node:crypto'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import pg from 'pg'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { embeddedUrl } from './embedded'
import { diffSchemas } from './migrate'
import { readSchema } from './testing/read-schema'
import { testDatabase } from './testing/test-database'

const migrated = testDatabase()

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const readFiles = (pattern: string) =>
  Promise.all(
    globSync(pattern)
      .sort()
      .map(async (path) => ({ path: relative('prisma', path), content: await readFile(path, 'utf8') })),
  )

/** Makes the database that prisma/models and prisma/sql describe, without migrations. */
async function readDescribed(): Promise<string[]> {
  const directory = inject('postgresDirectory')
  const name = `described_${randomBytes(6).toString('hex')}`
  const admin = embeddedUrl(directory, 'postgres')
  await withClient(admin, (client) => client.query(`CREATE DATABASE ${name}`))
  const tables = await diffSchemas(admin, [], await readFiles('prisma/**/*.prisma'))
  const files = await readFiles('prisma/sql/*.sql')
  return withClient(embeddedUrl(directory, name), async (client) => {
    await client.query(tables)
    // Functions may name what another file makes.
    await client.query('SET check_function_bodies = off')
    for (const { content } of files) await client.query(content)
    return readSchema(client)
  })
}

describe('the schema that migrations make', () => {
  let found: string[]
  let described: string[]
  beforeAll(async () => {
    described = await readDescribed()
    found = await withClient(migrated.url, readSchema)
  })

  it('has all that prisma/models and prisma/sql describe', () => {
    expect(described.length).toBeGreaterThan(900)
    expect(described.filter((object) => !found.includes(object))).toEqual([])
  })

  it('has nothing else', () => {
    expect(found.filter((object) => !described.includes(object))).toEqual([])
  })
})

/** Foreign keys without an index, and why they need none. */
const notIndexed: Record<string, string> = {
  archive_blobs_user_id_fkey: 'no user is deleted, and an index would slow down each upload',
  archive_holders_user_id_fkey: 'no user is deleted, and an index would slow down each upload',
}

it('a list is never null', async () => {
  const { rows } = await migrated.pool.query<{ name: string }>(
    `SELECT c.relname || '.' || a.attname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND attndims > 0 AND NOT attnotnull`,
  )
  expect(rows).toEqual([])
})

it('a foreign key has an index, so that a deletion does not read a whole table', async () => {
  const { rows } = await migrated.pool.query<{ name: string }>(
    `SELECT k.conname AS name FROM pg_constraint k
      WHERE k.contype = 'f' AND k.connamespace = 'public'::regnamespace AND NOT EXISTS (
        SELECT 1 FROM pg_index i
         WHERE i.indrelid = k.conrelid AND (i.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey
           AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) LIKE '%IS NOT NULL%'))`,
  )
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(notIndexed).sort())
})
