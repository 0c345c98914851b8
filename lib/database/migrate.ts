import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm'
import pg from 'pg'
import { locks } from './locks'
import { type MoveOptions, movePrograms } from './move-programs'

/**
 * Prisma's schema engine in its WASM build, so that migrations need no downloaded binary. The folders and the history in
 * `_prisma_migrations` have the format of `prisma migrate`.
 */

const require = createRequire(import.meta.url)
const noFilter = { externalTables: [], externalEnums: [] }

type EngineModule = {
  SchemaEngine: {
    new: (options: unknown, log: (line: string) => void, adapter: unknown) => Promise<SchemaEngine>
  }
  __wbg_set_wasm(exports: WebAssembly.Exports): void
}

// The glue code keeps views of one instance's memory, so there is one per process, even if this module is loaded again.
const shared = globalThis as typeof globalThis & { gpuqSchemaEngine?: Promise<EngineModule> }

/** Loads the module once per process. */
function loadEngine(): Promise<EngineModule> {
  shared.gpuqSchemaEngine ??= (async () => {
    const entry = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg')
    const engine = (await import(/* webpackIgnore: true */ pathToFileURL(entry).href)) as EngineModule
    const bytes = await readFile(entry.replace(/\.js$/, '.wasm'))
    // The engine does not clear a ten-second lock timer, which must not keep the process alive.
    const glue = Object.fromEntries(
      Object.entries(engine).map(([name, call]) =>
        name.startsWith('__wbg_setTimeout')
          ? [name, (run: () => void, ms: number) => setTimeout(run, ms >>> 0).unref()]
          : [name, call],
      ),
    )
    const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': glue as never })
    engine.__wbg_set_wasm(instance.exports)
    ;(instance.exports.__wbindgen_start as () => void)()
    return engine
  })()
  return shared.gpuqSchemaEngine
}

/**
 * Records a migration in its own transaction. So the history is right whenever gpuq is killed, also if the database goes on
 * with the migration: the row stays locked until then.
 */
export const recordMigration = changeUnfinished('UPDATE _prisma_migrations SET finished_at = now()')
/** Forgets a migration that failed, so that it is applied again. Prisma would apply nothing any more. */
const forgetFailed = changeUnfinished('DELETE FROM _prisma_migrations')

/** Changes the rows of migrations that have not ended, if the database has had any migration. */
function changeUnfinished(change: string): string {
  return `DO $$ BEGIN
    IF to_regclass('_prisma_migrations') IS NOT NULL THEN ${change} WHERE finished_at IS NULL; END IF;
  END $$`
}

/**
 * Sends a migration as one script, which PostgreSQL applies whole or not at all. Prisma's adapter splits it at every
 * semicolon, also at those inside of a function.
 */
class WholeScripts extends PrismaPg {
  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect()
    adapter.executeScript = async (script) => {
      await adapter.underlyingDriver().query(`${recordMigration};\n${script}`)
    }
    return adapter
  }
}

/** Runs `work` with an engine on the database at `url`, and closes the engine's connections after it. */
async function withEngine<T>(url: string, work: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  const { SchemaEngine } = await loadEngine()
  const pool = new pg.Pool({ connectionString: url })
  pool.on('error', () => {})
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(new WholeScripts(pool))
    return await work(await SchemaEngine.new({ datamodels: undefined }, () => {}, adapter))
  } finally {
    await pool.end()
  }
}

/** The names of the migrations in a directory, oldest first. */
export async function listMigrations(directory = migrationsDirectory): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return names.sort()
}

async function readMigrations(directory: string, names: readonly string[]): Promise<MigrationList> {
  const read = (path: string) => readFile(join(directory, path), 'utf8')
  return {
    baseDir: directory,
    lockfile: { path: 'migration_lock.toml', content: await read('migration_lock.toml') },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.map(async (path) => ({
        path,
        migrationFile: {
          path: 'migration.sql',
          content: { tag: 'ok' as const, value: await read(`${path}/migration.sql`) },
        },
      })),
    ),
  }
}

/** The migrations of this checkout. */
export const migrationsDirectory = join(process.cwd(), 'prisma', 'migrations')

/**
 * What must be done before a migration: rows that are too many for one transaction are moved first. It runs again at the next start
 * if it was interrupted.
 */
const before: Readonly<Record<string, (client: pg.Client, options: MoveOptions) => Promise<void>>> = {
  '20261201102000_jobs_without_code': movePrograms,
}

interface MigrateOptions extends MoveOptions {
  /** Applies none but these: the schema of an earlier version, for its backup. */
  only?: readonly string[] | undefined
}

/** Applies the missing migrations to the database at `url`, and returns their names. */
export async function migrate(
  url: string,
  directory = migrationsDirectory,
  { only, ...options }: MigrateOptions = {},
): Promise<{ applied: string[] }> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [locks.migration])
    await client.query(forgetFailed)
    const names = (await listMigrations(directory)).filter((name) => only?.includes(name) ?? true)
    const applied: string[] = []
    for (const [name, prepare] of Object.entries(before)) {
      const place = names.indexOf(name)
      if (place === -1 || (await isApplied(client, name))) continue
      applied.push(...(await applyMigrations(url, directory, names.slice(0, place))))
      await prepare(client, options)
    }
    applied.push(...(await applyMigrations(url, directory, names)))
    return { applied }
  } finally {
    await client.end()
  }
}

async function isApplied(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists`,
  )
  if (!rows[0]?.exists) return false
  const { rowCount } = await client.query('SELECT 1 FROM _prisma_migrations WHERE migration_name = $1', [
    name,
  ])
  return rowCount !== 0
}

async function applyMigrations(url: string, directory: string, names: readonly string[]): Promise<string[]> {
  const migrationsList = await readMigrations(directory, names)
  const { appliedMigrationNames } = await withEngine(url, (engine) =>
    engine.applyMigrations({ migrationsList, filters: noFilter }),
  )
  return appliedMigrationNames
}

/** A file of the Prisma schema. */
export interface SchemaFile {
  path: string
  content: string
}

/** The SQL that changes one schema into another: the body of a new migration. `url` can be any database. */
export async function diffSchemas(url: string, before: SchemaFile[], after: SchemaFile[]): Promise<string> {
  const { stdout } = await withEngine(url, (engine) =>
    engine.diff({
      from: before.length === 0 ? { tag: 'empty' } : { tag: 'schemaDatamodel', files: before },
      to: { tag: 'schemaDatamodel', files: after },
      script: true,
      exitCode: null,
      filters: noFilter,
    }),
  )
  return stdout ?? ''
}
