import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { env } from '../env'
import { embeddedUrl } from './embedded'
import { PrismaClient } from './generated/client'

/**
 * One pool a process, under two faces: Prisma for plain reads and writes, `pg` where locks, SKIP LOCKED or one
 * round trip matter.
 */
export interface Database {
  url: string
  prisma: PrismaClient
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
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    options: '-c timezone=UTC -c idle_in_transaction_session_timeout=30s -c lock_timeout=20s',
  })
  // A broken connection is replaced by the pool; without a listener it would end the process. The pool listens to
  // those that nobody uses; one that breaks between two queries of a transaction needs a listener of its own.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  return {
    url,
    prisma,
    pool,
    async close() {
      await prisma.$disconnect()
      await pool.end()
    },
  }
}

/** Where this process's database is: DATABASE_URL, or the embedded one in the data directory. */
export function databaseUrl(): string {
  return env().DATABASE_URL ?? embeddedUrl(env().GPUQ_DATA_DIR)
}

// Next.js loads modules anew for each route bundle; the pool is kept once a process.
const shared = globalThis as typeof globalThis & { gpuqDatabase?: Database }

/** This process's database. */
export function database(): Database {
  shared.gpuqDatabase ??= connect(databaseUrl(), env().GPUQ_DATABASE_CONNECTIONS)
  return shared.gpuqDatabase
}

/** Points this process at another database. For tests, which have one each. */
export function setDatabase(db: Database): void {
  shared.gpuqDatabase = db
}
