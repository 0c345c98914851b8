import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'
import { connect, type Database, setDatabase } from '../client'
import { embeddedUrl } from '../embedded'
import { closeListener } from '../listen'

/**
 * Gives the test file a database of its own, cloned from the migrated template, and makes it this process's.
 * Call it once at the top of a file; the returned object is filled before the first test.
 */
export function testDatabase(): Database {
  const handle = {} as Database
  beforeAll(async () => {
    const directory = inject('postgresDirectory')
    const name = `test_${randomBytes(6).toString('hex')}`
    const admin = new pg.Client({ connectionString: embeddedUrl(directory, 'postgres') })
    await admin.connect()
    await admin.query(`CREATE DATABASE ${name} TEMPLATE template_gpuq`)
    await admin.end()
    const connected = connect(embeddedUrl(directory, name), 20)
    Object.defineProperties(handle, Object.getOwnPropertyDescriptors(connected))
    // Waiting for one of the twenty counts too: many at once on a busy machine would be refused.
    handle.pool.options.connectionTimeoutMillis = 0
    setDatabase(handle)
  })
  afterAll(async () => {
    await closeListener()
    await handle.close()
  })
  return handle
}
