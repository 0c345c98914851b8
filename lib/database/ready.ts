import { database } from './client'

/** True when the database answers and holds gpuq's tables. */
export async function databaseAnswers(): Promise<boolean> {
  try {
    const { rows } = await database().pool.query<{ migrated: boolean }>(
      "SELECT to_regclass('jobs') IS NOT NULL AS migrated",
    )
    return rows[0]?.migrated === true
  } catch {
    return false
  }
}
