/** `node dist/setup.js`: migrates the database and makes the first admin, where nobody runs `npm start`. */
import { inspect } from 'node:util'
import { ensureFirstRun } from '@/lib/access/first-run'
import { database, databaseUrl } from '@/lib/database/client'
import { migrate } from '@/lib/database/migrate'
import { publicUrl } from '@/lib/env'
import { describeAdmin } from './welcome'

try {
  const { applied } = await migrate(databaseUrl())
  console.log(applied.length > 0 ? `Migrated: ${applied.join(', ')}` : 'The database is up to date.')
  console.log(`${publicUrl()}\n${describeAdmin(await ensureFirstRun())}`)
  await database().close()
} catch (error) {
  // The last line of a log is what is read: no stack after the sentence that says which variable is wrong.
  console.error((error instanceof Error && error.message) || inspect(error))
  process.exit(1)
}
