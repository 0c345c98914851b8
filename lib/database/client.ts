import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { env } from '../env'
import { embeddedUrl } from './embedded'
import { PrismaClient } from './generated/client'

/**
 * One pool per process, with two interfaces: Prisma for plain reads and writes of the web server, `pg` for transactions,
 * hot paths, workers and all that Prisma cannot express (decision 35).
 */
export interface Database {
  url: string
  readonly prisma: PrismaClient
  pool: pg.Pool
  close(): Promise<void>
}

// bigint columns hold byte counts far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export function connect(url: string, connections: number): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: 10_000,
    // A new connection plans each statement again, which delays a submission after a pause by about 100 ms.
    idleTimeoutMillis: 10 * 60_000,
    keepAlive: true,
    // Statements that do not depend on each other's results are sent at once, and share a round trip.
    pipeline: true,
    options: '-c timezone=UTC -c idle_in_transaction_session_timeout=30s -c lock_timeout=20s',
  })
  // The pool replaces a broken connection, but an error without a listener would end the process. The pool listens to
  // idle connections. A connection that breaks between two queries of a transaction needs its own listener.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  // A client takes 21 MB, and most processes use none.
  let prisma: PrismaClient | undefined
  return {
    url,
    get prisma() {
      prisma ??= new PrismaClient({ adapter: new PrismaPg(pool) })
      return prisma
    },
    pool,
    async close() {
      await prisma?.$disconnect()
      await pool.end()
    },
  }
}

/** The address of this process's database: DATABASE_URL, or the embedded one in the data directory. */
export function databaseUrl(): string {
  return env().DATABASE_URL ?? embeddedUrl(env().GPUQ_DATA_DIR)
}

// Next.js loads modules again for each route bundle; there is one pool per process.
const shared = globalThis as typeof globalThis & { gpuqDatabase?: Database }

/** This process's database. */
export function database(): Database {
  shared.gpuqDatabase ??= connect(databaseUrl(), env().GPUQ_DATABASE_CONNECTIONS)
  return shared.gpuqDatabase
}

/** Replaces the database of this process, for tests. */
export function setDatabase(db: Database): void {
  shared.gpuqDatabase = db
}
