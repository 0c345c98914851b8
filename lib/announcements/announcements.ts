import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import { type Actor, requireAdmin } from '../access/actor'
import { recordAudit } from '../access/audit'
import { invalidField } from '../contract/errors'
import { database } from '../database/client'
import { datesToText, type WithDates } from '../database/dates'
import { findRow, transaction } from '../database/transaction'
import type { Announcement, CurrentAnnouncement, setAnnouncementSchema } from './contract'

interface AnnouncementRow extends WithDates<Announcement, 'ends_at' | 'created_at'> {
  dismissed: boolean
}

/** Reads the announcement, and whether the actor has dismissed it. */
export async function readAnnouncement({ userId }: Pick<Actor, 'userId'>): Promise<CurrentAnnouncement> {
  const row = await findRow<AnnouncementRow>(
    database().pool,
    `SELECT a.id, a.text, a.ends_at, a.created_at, coalesce(u.dismissed_announcement = a.id, false) AS dismissed
       FROM announcements a LEFT JOIN users u ON u.id = $1
      WHERE a.ends_at IS NULL OR a.ends_at > now()`,
    [userId],
  )
  if (!row) return { announcement: null, dismissed: false }
  const { dismissed, ...announcement } = row
  return { announcement: datesToText(announcement), dismissed }
}

/** Hides an announcement from the actor, in every browser. Later ones are shown. */
export async function dismissAnnouncement({ userId }: Actor, id: string): Promise<void> {
  await database().pool.query('UPDATE users SET dismissed_announcement = $2 WHERE id = $1', [userId, id])
}

/** Replaces the announcement. @throws 422 if its end has passed. */
export async function setAnnouncement(
  actor: Actor,
  { text, ends_at }: z.output<typeof setAnnouncementSchema>,
): Promise<CurrentAnnouncement> {
  requireAdmin(actor)
  await transaction(async (tx) => {
    // The end is compared with the clock of the database, as later reads do.
    const { rowCount } = await tx.query(
      `INSERT INTO announcements (id, text, ends_at)
       SELECT $1::uuid, $2::text, $3::timestamptz WHERE $3::timestamptz IS NULL OR $3::timestamptz > now()
           ON CONFLICT (singleton) DO UPDATE
          SET id = excluded.id, text = excluded.text, ends_at = excluded.ends_at, created_at = now()`,
      [uuidv7(), text.replaceAll('\r\n', '\n'), ends_at],
    )
    if (rowCount === 0) throw invalidField('ends_at', 'this time has passed: choose a later one, or none')
    const detail = { text, ends_at }
    await recordAudit(tx, { actorId: actor.userId, action: 'announcement_published', target: null, detail })
  })
  return readAnnouncement(actor)
}

/** Removes the announcement. It is no error if there is none. */
export async function removeAnnouncement(actor: Actor): Promise<void> {
  requireAdmin(actor)
  await transaction(async (tx) => {
    const { rowCount } = await tx.query('DELETE FROM announcements', [])
    if (rowCount === 0) return
    await recordAudit(tx, { actorId: actor.userId, action: 'announcement_removed', target: null })
  })
}
