import { conflict } from '../contract/errors'
import { findRow, type Transaction } from '../database/transaction'

/* A competition has an account, whose jobs its entries are, and a project, which has its data. Nobody else changes them. */

/** SQL condition: a user is the account of a competition. Nobody signs in to it. */
export const isServiceAccount = (userId: string) =>
  `EXISTS (SELECT 1 FROM competitions service WHERE service.user_id = ${userId})`

/** SQL condition: a project has the data of a competition. */
export const isOfCompetition = (projectId: string) =>
  `EXISTS (SELECT 1 FROM competitions owning WHERE owning.project_id = ${projectId})`

/** @throws 409 if one of these users is the account of a competition. */
export async function requirePeople(executor: Transaction, userIds: readonly string[]): Promise<void> {
  const found = await findRow<{ handle: string; slug: string }>(
    executor,
    'SELECT u.handle, c.slug FROM competitions c JOIN users u ON u.id = c.user_id WHERE c.user_id = ANY ($1::uuid[]) LIMIT 1',
    [userIds],
  )
  if (!found) return
  throw conflict(
    `"${found.handle}" is the account of the competition "${found.slug}", which runs its entries. It is nobody's: choose a person.`,
  )
}

/** @throws 409 if a project has the data of a competition. */
export async function requireNoCompetition(
  executor: Transaction,
  projectId: string,
  advice: string,
): Promise<void> {
  const found = await findRow<{ slug: string }>(
    executor,
    'SELECT slug FROM competitions WHERE project_id = $1',
    [projectId],
  )
  if (found)
    throw conflict(`The project has the data and the entries of the competition "${found.slug}". ${advice}`)
}
