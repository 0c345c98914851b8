import { unavailable } from '@/lib/contract/errors'
import { serverOperations } from '@/lib/contract/operations/server'
import { database } from '@/lib/database/client'
import { route } from '@/lib/http/route'

export const GET = route(serverOperations.ready, async () => {
  if (!(await databaseAnswers()))
    throw unavailable(
      'The database does not answer, or its migrations have not run yet. Check the server log.',
    )
  return Response.json({ status: 'ready' }, { headers: { 'cache-control': 'no-store' } })
})

/** True if the database answers and has gpuq's tables. */
async function databaseAnswers(): Promise<boolean> {
  try {
    const { rows } = await database().pool.query<{ migrated: boolean }>(
      "SELECT to_regclass('jobs') IS NOT NULL AS migrated",
    )
    return rows[0]?.migrated === true
  } catch {
    return false
  }
}
