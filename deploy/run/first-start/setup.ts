/**
 * `node dist/setup.js`: migrates the database and creates the first admin, for deployments without `npm
 * start`.
 */
import { inspect } from 'node:util'
import { ensureFirstRun } from '@/lib/access/first-run'
import { database, databaseUrl } from '@/lib/database/client'
import { migrate } from '@/lib/database/migrate'
import { forgetFirstStartSecrets, publicUrl } from '@/lib/env'
import { describeAdmin } from './welcome'

try {
  const { applied } = await migrate(databaseUrl(), undefined, { onProgress: (note) => console.log(note) })
  console.log(applied.length > 0 ? `Migrated: ${applied.join(', ')}` : 'The database is up to date.')
  console.log(`${publicUrl()}\n${describeAdmin(await ensureFirstRun())}`)
  forgetFirstStartSecrets()
  await database().close()
} catch (error) {
  // Print only the message: users read the last line of a log, which should name the wrong variable.
  console.error((error instanceof Error && error.message) || inspect(error))
  process.exit(1)
}
