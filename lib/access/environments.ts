import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import type {
  createEnvironmentSchema,
  Environment,
  updateEnvironmentSchema,
} from '../contract/access/environments'
import { conflict, invalidField, notFound } from '../contract/errors'
import { idPattern } from '../contract/id-pattern'
import { database } from '../database/client'
import { findRow, isUniqueViolation, oneRow, type Transaction, transaction } from '../database/transaction'
import { type Actor, isAdmin, requireAdmin } from './actor'
import { assignments } from './assignments'
import { recordAudit } from './audit'

const columns =
  'name, image, description, network, prepare, prepare_problem, prepare_problem_at, is_default, enabled'

/** Lists the environments that a job may use; for an admin, also disabled ones. */
export async function listEnvironments(actor: Actor): Promise<Environment[]> {
  const { rows } = await database().pool.query<EnvironmentRow>(
    `SELECT ${columns} FROM environments WHERE enabled OR $1 ORDER BY is_default DESC, name`,
    [isAdmin(actor)],
  )
  const seen = rows.map(toEnvironment)
  return isAdmin(actor)
    ? seen
    : seen.map((row) => ({ ...row, prepare_problem: null, prepare_problem_at: null }))
}

interface EnvironmentRow extends Omit<Environment, 'prepare_problem_at'> {
  prepare_problem_at: Date | null
}

const toEnvironment = ({ prepare_problem_at: at, ...row }: EnvironmentRow): Environment => ({
  ...row,
  prepare_problem_at: at?.toISOString() ?? null,
})

/** The properties of an environment that a job needs. */
export interface JobEnvironment extends Pick<Environment, 'name' | 'image' | 'network'> {
  id: string
}

/**
 * Finds the enabled environment of that name, or the default one for null.
 * @throws 422 with the names of the existing environments.
 */
export async function findEnvironment(
  name: string | null,
  executor: Transaction = database().pool,
): Promise<JobEnvironment> {
  const found = await findRow<JobEnvironment>(executor, {
    name: 'find-environment',
    text: `SELECT id, name, image, network FROM environments
            WHERE enabled AND CASE WHEN $1::text IS NULL THEN is_default ELSE name = $1 END`,
    values: [name],
  })
  if (found) return found
  const known = await executor.query<{ name: string }>(
    'SELECT name FROM environments WHERE enabled ORDER BY is_default DESC, name',
  )
  const names = known.rows.map((row) => `"${row.name}"`).join(', ')
  const message =
    name === null
      ? `there is no default environment: choose one of ${names || 'those that an admin creates'}`
      : `there is no environment "${name}": ${names ? `use one of ${names}` : 'ask an admin to create one first'}`
  throw invalidField('environment', message)
}

/** Approves an image under a name. */
export function createEnvironment(
  actor: Actor,
  input: z.output<typeof createEnvironmentSchema>,
): Promise<Environment> {
  requireAdmin(actor)
  return withEnvironmentsLocked(async (tx) => {
    if (input.is_default) await dropDefault(tx)
    const { image, description, network, is_default, prepare } = input
    const created = await oneRow<EnvironmentRow>(
      tx,
      `INSERT INTO environments (id, name, image, description, network, is_default, prepare)
       VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ${columns}`,
      [uuidv7(), input.name, image, description, network, is_default, prepare],
    ).catch((error) => {
      if (!isUniqueViolation(error, 'environments_name_key')) throw error
      throw conflict(`An environment "${input.name}" already exists. Choose another name.`)
    })
    const { name, ...detail } = input
    await recordAudit(tx, { actorId: actor.userId, action: 'environment_created', target: name, detail })
    return toEnvironment(created)
  })
}

/**
 * Changes an environment. There is always exactly one default environment, so the default can only be moved to
 * another one.
 */
export function updateEnvironment(
  actor: Actor,
  name: string,
  changes: z.output<typeof updateEnvironmentSchema>,
): Promise<Environment> {
  requireAdmin(actor)
  return withEnvironmentsLocked(async (tx) => {
    const before = await findByName(tx, name)
    requireDefault(before, changes)
    if (changes.is_default) await dropDefault(tx)
    const otherImage = changes.image !== undefined && changes.image !== before.image
    const otherImports = otherImage || changes.prepare !== undefined
    const set = assignments(
      {
        ...changes,
        // A new image has not run on any node yet.
        ...(otherImage ? { ran_at: null } : {}),
        // Nodes try the imports again.
        ...(otherImports ? { prepare_problem: null, prepare_problem_at: null } : {}),
      },
      2,
    )
    if (set.list.length === 0) return before
    const updated = await oneRow<EnvironmentRow>(
      tx,
      `UPDATE environments SET ${set.list.join(', ')} WHERE name = $1 RETURNING ${columns}`,
      [before.name, ...set.values],
    )
    await recordAudit(tx, {
      actorId: actor.userId,
      action: 'environment_updated',
      target: before.name,
      detail: { ...changes },
    })
    return toEnvironment(updated)
  })
}

async function findByName(tx: Transaction, name: string): Promise<Environment> {
  const select = `SELECT ${columns} FROM environments WHERE name = $1`
  const environment = idPattern.test(name) ? await findRow<EnvironmentRow>(tx, select, [name]) : null
  if (environment) return toEnvironment(environment)
  throw notFound('There is no such environment. GET /api/environments lists the existing ones.')
}

function requireDefault(before: Environment, changes: z.output<typeof updateEnvironmentSchema>): void {
  const enabled = changes.enabled ?? before.enabled
  const isDefault = changes.is_default ?? before.is_default
  if (before.is_default && (!enabled || !isDefault)) {
    throw conflict(`"${before.name}" is the default environment. Make another environment the default first.`)
  }
  if (isDefault && !enabled) {
    throw conflict(`"${before.name}" is disabled and cannot be the default. Enable it first.`)
  }
}

/** Serializes changes, so that two changes cannot both set a default. Reads are not blocked. */
function withEnvironmentsLocked<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
  return transaction(async (tx) => {
    await tx.query('LOCK TABLE environments IN SHARE ROW EXCLUSIVE MODE')
    return work(tx)
  })
}

async function dropDefault(tx: Transaction): Promise<void> {
  await tx.query('UPDATE environments SET is_default = false WHERE is_default')
}
