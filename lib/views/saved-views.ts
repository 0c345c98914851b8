import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import { type Actor, requireAdmin } from '../access/actor'
import { recordAudit } from '../access/audit'
import type { AuditAction } from '../contract/access/audit-actions'
import { conflict, notFound } from '../contract/errors'
import { database } from '../database/client'
import { datesToText, type WithDates } from '../database/dates'
import { findRow, type Transaction, transaction } from '../database/transaction'
import { type CreateView, maxViews, type SavedView } from './contract'

type ViewRow = WithDates<SavedView, 'created_at'>

const columns = 'id AS view_id, name, everyone AS all, search AS q, sort, columns, created_at'

const noSuchView = () => notFound('You have no saved view with this id. GET /api/views lists your views.')
const nameInUse = () => conflict('You have a view with this name. Choose another name, or delete that view.')

/** Lists the views of the actor by name. */
export async function listViews(actor: Actor): Promise<SavedView[]> {
  const { rows } = await database().pool.query<ViewRow>(
    `SELECT ${columns} FROM saved_views WHERE user_id = $1 ORDER BY lower(name), name`,
    [actor.userId],
  )
  return rows.map(datesToText)
}

/** Saves a search. @throws 409 for a name that is in use, or if the actor has too many views. */
export async function createView(
  actor: Actor,
  { name, all, q, sort, columns: shown }: CreateView,
): Promise<SavedView> {
  if (all) requireAdmin(actor)
  return transaction(async (tx) => {
    // Two requests at once must not exceed the maximum together.
    await tx.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [actor.userId])
    const { rowCount } = await tx.query('SELECT 1 FROM saved_views WHERE user_id = $1', [actor.userId])
    if ((rowCount ?? 0) >= maxViews)
      throw conflict(`You have ${maxViews} saved views, which is the limit. Delete one.`)
    const row = await findRow<ViewRow>(
      tx,
      `INSERT INTO saved_views (id, user_id, name, everyone, search, sort, columns) VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT DO NOTHING RETURNING ${columns}`,
      [uuidv7(), actor.userId, name, all, q, sort, shown],
    )
    if (!row) throw nameInUse()
    await recordView(tx, actor, 'view_created', row)
    return datesToText(row)
  })
}

async function recordView(
  tx: Transaction,
  actor: Actor,
  action: AuditAction,
  { view_id, name }: Pick<ViewRow, 'view_id' | 'name'>,
): Promise<void> {
  await recordAudit(tx, { actorId: actor.userId, action, target: actor.handle, detail: { view_id, name } })
}

/** Finds a view of the actor. @throws 404, the same for an unknown view and for another user's. */
export async function requireView(actor: Actor, id: string): Promise<void> {
  const valid = z.uuid().safeParse(id).success
  const where = { id, userId: actor.userId }
  if (!valid || (await database().prisma.savedView.count({ where })) === 0) throw noSuchView()
}

/** Renames a view. @throws 409 for a name that is in use. */
export async function renameView(actor: Actor, id: string, name: string): Promise<SavedView> {
  await requireView(actor, id)
  return transaction(async (tx) => {
    await tx.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [actor.userId])
    const { rowCount } = await tx.query(
      'SELECT 1 FROM saved_views WHERE user_id = $1 AND name = $2 AND id <> $3',
      [actor.userId, name, id],
    )
    if (rowCount !== 0) throw nameInUse()
    const row = await findRow<ViewRow>(
      tx,
      `UPDATE saved_views SET name = $3 WHERE id = $1 AND user_id = $2 RETURNING ${columns}`,
      [id, actor.userId, name],
    )
    if (!row) throw noSuchView()
    await recordView(tx, actor, 'view_updated', row)
    return datesToText(row)
  })
}

export async function deleteView(actor: Actor, id: string): Promise<void> {
  await requireView(actor, id)
  await transaction(async (tx) => {
    const row = await findRow<ViewRow>(
      tx,
      `DELETE FROM saved_views WHERE id = $1 AND user_id = $2 RETURNING ${columns}`,
      [id, actor.userId],
    )
    // A concurrent request may have deleted it.
    if (row) await recordView(tx, actor, 'view_deleted', row)
  })
}
