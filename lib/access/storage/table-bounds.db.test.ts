import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { allOperations } from '../../contract/operations/operations'
import { testDatabase } from '../../database/testing/test-database'
import { limitVariables } from '../../env/limits'
import { type Bound, tableBounds } from './testing/table-bounds'

const db = testDatabase()

async function namesOf(query: string): Promise<string[]> {
  const { rows } = await db.pool.query<{ name: string }>(query)
  return rows.map(({ name }) => name)
}

const readTables = () =>
  namesOf(
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> '_prisma_migrations' ORDER BY 1`,
  )
const readColumns = () =>
  namesOf(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = 'public'`,
  )
const readCounted = () =>
  namesOf(`SELECT DISTINCT view_name || ' ' || table_name AS name FROM information_schema.view_table_usage`)
const readSingletons = () =>
  namesOf(
    `SELECT conrelid::regclass::text AS name FROM pg_constraint
      WHERE contype = 'c' AND pg_get_constraintdef(oid) IN ('CHECK ((id = 1))', 'CHECK (singleton)')`,
  )

/** The tables to which each primary key refers, as `TABLE: TABLE, TABLE`. */
const readPairs = () =>
  namesOf(
    `SELECT k.conrelid::regclass || ': ' || string_agg(f.confrelid::regclass::text, ', ' ORDER BY f.confrelid::regclass::text) AS name
       FROM pg_constraint k JOIN pg_constraint f ON f.conrelid = k.conrelid AND f.contype = 'f' AND f.conkey <@ k.conkey
      WHERE k.contype = 'p' AND cardinality(k.conkey) = 2 GROUP BY k.conrelid`,
  )

/** Whether what a bound names exists: an environment variable, or a constant or function as `FILE: NAME`. */
function exists(named: string): boolean {
  const [file = '', name] = named.split(': ')
  if (name === undefined) return Object.hasOwn(limitVariables, file)
  return new RegExp(`\\b(const|function) ${name}\\b`).test(readFileSync(file, 'utf8'))
}

/** Says what of a bound is wrong; null: nothing. */
async function faultOf(table: string, bound: Bound): Promise<string | null> {
  if ('quota' in bound)
    return (await readCounted()).includes(`${bound.quota} ${table}`)
      ? null
      : `${bound.quota} does not read it`
  if ('limit' in bound) return exists(bound.limit) ? null : `there is no ${bound.limit}`
  if ('deletedBy' in bound) return exists(bound.deletedBy) ? null : `there is no ${bound.deletedBy}`
  if ('oneRow' in bound)
    return (await readSingletons()).includes(table) ? null : 'no check permits only one row'
  if ('pairOf' in bound) {
    const pair = `${table}: ${bound.pairOf.toSorted().join(', ')}`
    return (await readPairs()).includes(pair) ? null : 'its primary key refers to other tables'
  }
  if ('adminsBy' in bound) {
    const operation = allOperations.find(({ id }) => id === bound.adminsBy)
    return operation?.access === 'admin' ? null : `${bound.adminsBy} is no operation for admins only`
  }
  if (!Object.hasOwn(tableBounds, bound.of)) return `${bound.of} has no bound`
  if (!(await readColumns()).includes(`${table}.${bound.column}`)) return `there is no column ${bound.column}`
  return typeof bound.most === 'number' || exists(bound.most) ? null : `there is no ${bound.most}`
}

describe('the tables of the database', () => {
  it('each have a quota, a limit or a retention that bounds them', async () => {
    expect(Object.keys(tableBounds).sort()).toEqual(await readTables())
  })

  it('have bounds that exist', async () => {
    const faults: string[] = []
    for (const [table, bound] of Object.entries(tableBounds)) {
      const fault = await faultOf(table, bound)
      if (fault !== null) faults.push(`${table}: ${fault}`)
    }
    expect(faults).toEqual([])
  })

  it('have no bound that names nothing', async () => {
    expect(await faultOf('jobs', { quota: 'stored_bytes' })).toBeNull()
    expect(await faultOf('users', { quota: 'stored_bytes' })).not.toBeNull()
    expect(await faultOf('users', { oneRow: true })).not.toBeNull()
    expect(await faultOf('users', { adminsBy: 'tokens.create' })).not.toBeNull()
    expect(await faultOf('users', { limit: 'GPUQ_NO_SUCH' })).not.toBeNull()
    expect(await faultOf('users', { deletedBy: 'lib/access/audit.ts: forget' })).not.toBeNull()
    expect(await faultOf('job_mounts', { pairOf: ['jobs', 'users'] })).not.toBeNull()
    expect(await faultOf('users', { of: 'jobs', column: 'job_id', most: 1 })).not.toBeNull()
  })
})
