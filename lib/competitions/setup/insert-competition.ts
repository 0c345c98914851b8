import { randomBytes } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { Actor } from '../../access/actor'
import { conflict } from '../../contract/errors'
import { findRow, type Transaction } from '../../database/transaction'
import type { CompetitionConfig } from '../contract-config'

/** The values of the columns that are keys of competition.yaml: title, visibility, join, team_max, timezone, terms and parallel. */
export const columnsOf = (config: CompetitionConfig) => [
  config.title,
  config.visibility,
  config.join,
  config.team_max,
  config.timezone,
  config.terms ?? null,
  config.parallel,
]

/** Inserts a competition with its service account and project. Whoever creates it is its host. */
export async function insertCompetition(
  tx: Transaction,
  actor: Actor,
  config: CompetitionConfig,
  pages: Readonly<Record<string, string>>,
): Promise<{ id: string; projectId: string }> {
  const { slug } = config
  const [id, projectId] = [uuidv7(), uuidv7()]
  const userId = await insertServiceAccount(tx, slug)
  // Its files are kept until the competition ends, whatever the default is.
  await tx.query('INSERT INTO projects (id, slug, owner_id, retention_days) VALUES ($1, $2, $3, 0)', [
    projectId,
    slug,
    userId,
  ])
  await tx.query(
    `INSERT INTO competitions (id, slug, spec, pages, project_id, user_id, secret, created_by_id,
                               title, visibility, "join", team_max, timezone, terms, parallel)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [id, slug, config, pages, projectId, userId, randomBytes(32), actor.userId, ...columnsOf(config)],
  )
  await tx.query(
    "INSERT INTO competition_members (competition_id, user_id, role, state) VALUES ($1, $2, 'host', 'joined')",
    [id, actor.userId],
  )
  return { id, projectId }
}

/** The longest handle. */
const maxHandle = 64
/** Users who may have the handles of a competition's account already. */
const maxVariants = 100

/**
 * Inserts the account whose jobs the entries are. It has no password and no e-mail address, so nobody signs in with it, and no storage
 * quota.
 */
async function insertServiceAccount(tx: Transaction, slug: string): Promise<string> {
  for (let variant = 1; variant <= maxVariants; variant++) {
    const end = variant === 1 ? '' : `-${variant}`
    const handle = `competition-${slug}`.slice(0, maxHandle - end.length) + end
    const inserted = await findRow<{ id: string }>(
      tx,
      `INSERT INTO users (id, handle, name, storage_quota_gib) VALUES ($1, $2, $3, 0) ON CONFLICT DO NOTHING RETURNING id`,
      [uuidv7(), handle, `Competition ${slug}`],
    )
    if (inserted) return inserted.id
  }
  throw conflict(
    `The user ids "competition-${slug}" to "competition-${slug}-${maxVariants}" are taken. Choose another slug.`,
  )
}
