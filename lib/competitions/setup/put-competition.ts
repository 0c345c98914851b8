import type * as z from 'zod'
import { type Actor, isAdmin } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { conflict, forbidden, GpuqError, invalidField } from '../../contract/errors'
import { acquireLockOf } from '../../database/locks'
import { wakeLeader } from '../../database/notify'
import { findRow, oneRow, type Transaction, transaction, undoneTransaction } from '../../database/transaction'
import { findCompetition, requireHost } from '../access'
import { changeBoard } from '../boards/change-board'
import type { putCompetitionAnswerSchema, putCompetitionSchema } from '../contract'
import type { CompetitionConfig } from '../contract-config'
import { maxCompetitions } from '../contract-limits'
import { parseCompetition } from '../contract-parse'
import { columnsOf, insertCompetition } from './insert-competition'
import { findMissing } from './missing'
import { getCompetition } from './read-competition'
import { requireCanRun } from './require-can-run'
import { writeDirectories } from './write-directories'
import { writePhases } from './write-phases'
import { settleHosts, writeRoles } from './write-roles'

type Input = z.output<typeof putCompetitionSchema>
type Answer = z.input<typeof putCompetitionAnswerSchema>

/**
 * Creates a competition, or makes it what its file says. The same request twice changes nothing. It is published once it has all its
 * directories, and stays so.
 * @throws 403 without the right, 422 for what is wrong in the file, 409 for a slug that is taken.
 */
export async function putCompetition(
  actor: Actor,
  slug: string,
  input: Input,
  isDry: boolean,
): Promise<Answer> {
  const config = readConfig(slug, input)
  const run = isDry ? undoneTransaction : transaction
  const answer = await run((tx) => write(tx, actor, config, input, isDry))
  // A larger share of the queue may let held entries start.
  if (answer.changed && !isDry) wakeLeader()
  return answer
}

function readConfig(slug: string, { config: text, pages }: Input): CompetitionConfig {
  const parsed = parseCompetition(text)
  if (!parsed.ok) {
    const [first] = parsed.errors
    throw new GpuqError('invalid_fields', `${first?.path}: ${first?.message}`, { errors: parsed.errors })
  }
  const { config } = parsed
  if (config.slug !== slug)
    throw invalidField('slug', `must be "${slug}", as in the address: a competition keeps its slug`)
  const missing = config.pages.find((path) => !Object.hasOwn(pages, path))
  if (missing !== undefined) throw invalidField(`pages.${missing}`, 'its text is missing: send it in `pages`')
  const extra = Object.keys(pages).find((path) => !config.pages.includes(path))
  if (extra !== undefined) throw invalidField(`pages.${extra}`, 'is not in the list `pages` of the file')
  return config
}

interface Before {
  id: string
  projectId: string
  published: boolean
  spec: CompetitionConfig
}

async function write(
  tx: Transaction,
  actor: Actor,
  config: CompetitionConfig,
  input: Input,
  isDry: boolean,
): Promise<Answer> {
  const { slug } = config
  // Two hosts change one competition one after the other, and so do two who create it.
  await acquireLockOf(tx, 'competition', slug)
  const before = await findRow<Before>(
    tx,
    'SELECT id, project_id AS "projectId", published, spec FROM competitions WHERE slug = $1',
    [slug],
  )
  if (before) await requireMayChange(tx, actor, slug)
  else await requireMayCreate(tx, actor, slug)
  await requireCanRun(tx, actor, config, before?.spec ?? null)
  const competition = before ?? (await insertCompetition(tx, actor, config, input.pages))
  const { id } = competition
  const changes = [
    await writeRoles(tx, id, config.roles, before?.spec.roles ?? null),
    await writePhases(tx, id, config),
    await writeDirectories(tx, competition, config, input.directories),
  ]
  await settleHosts(tx, actor, competition)
  const missing = await findMissing(tx, id, config)
  if (before?.published && missing.length > 0 && !isDry)
    throw invalidField('directories', `the competition is published, so it must stay complete. ${missing[0]}`)
  const published = before?.published || missing.length === 0
  const { rowCount } = await tx.query(
    `UPDATE competitions SET version = version + CASE WHEN $6 THEN 0 ELSE 1 END, spec = $3, pages = $4, published = $5,
            title = $7, visibility = $8, "join" = $9, team_max = $10, timezone = $11, terms = $12, parallel = $13
      WHERE id = $1 AND ($2 OR (spec, pages, published) IS DISTINCT FROM ($3::jsonb, $4::jsonb, $5::boolean))`,
    [id, changes.includes(true), config, input.pages, published, !before, ...columnsOf(config)],
  )
  const changed = !before || rowCount === 1
  if (changed) {
    await changeBoard(tx, id)
    const { version } = await oneRow<{ version: number }>(
      tx,
      'SELECT version FROM competitions WHERE id = $1',
      [id],
    )
    await recordAudit(tx, {
      actorId: actor.userId,
      action: before ? 'competition_updated' : 'competition_created',
      target: slug,
      detail: { version, published },
    })
  }
  return { ...(await getCompetition(actor, slug, tx)), created: !before, changed }
}

/** @throws 403 unless the actor is a host. To whoever may not see it, it is a slug that is taken. */
async function requireMayChange(tx: Transaction, actor: Actor, slug: string): Promise<void> {
  const seen = await findCompetition(actor, slug, tx).catch(async (error: unknown) => {
    if (await mayHost(tx, actor))
      throw conflict(`There is a competition "${slug}" already, of other hosts. Choose another slug.`)
    throw error
  })
  requireHost(seen)
}

async function mayHost(tx: Transaction, actor: Actor): Promise<boolean> {
  if (isAdmin(actor)) return true
  const select = 'SELECT 1 FROM users WHERE id = $1 AND may_host_competitions'
  return (await findRow(tx, select, [actor.userId])) !== null
}

/** @throws 403 without the right to host, or for a slug that jobs of others carry; 409 for too many competitions. */
async function requireMayCreate(tx: Transaction, actor: Actor, slug: string): Promise<void> {
  if (!(await mayHost(tx, actor)))
    throw forbidden(
      'Competitions are created by admins, and by users with the right "may host competitions". Ask an admin for the right.',
    )
  const { full } = await oneRow<{ full: boolean }>(tx, 'SELECT count(*) >= $1 AS full FROM competitions', [
    maxCompetitions,
  ])
  if (full) throw conflict(`There are ${maxCompetitions} competitions, which is the limit.`)
  if (isAdmin(actor)) return
  // Their next jobs would enter the competition.
  const carried = await findRow(
    tx,
    `SELECT 1 FROM jobs WHERE competition_id = $1 AND user_id <> $2 AND created_at > now() - interval '90 days' LIMIT 1`,
    [slug, actor.userId],
  )
  if (carried)
    throw forbidden(
      `Jobs of other users have had the competition_id "${slug}" in the last 90 days. Choose another slug, or ask an admin to create the competition.`,
    )
}
