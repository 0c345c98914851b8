import { type Actor, isAdmin } from '../../access/actor'
import { database } from '../../database/client'
import { findRow } from '../../database/transaction'
import { maySee } from '../access'
import type { CompetitionConfig } from '../contract-config'
import { type CompetitionRole, staffRoles } from '../contract-roles'

interface Row {
  id: string
  slug: string
  published: boolean
  join: CompetitionConfig['join']
  role: CompetitionRole | null
  state: 'requested' | 'joined' | null
  teamId: string | null
  seen: boolean
}

/**
 * Finds the competition that an upload enters. A `competition_id` that names none, or one whose sender has not joined, stays a label of an
 * ordinary job. Then the note says how to join, if the sender may see the competition.
 */
export async function findTarget(
  actor: Actor,
  slug: string,
): Promise<{ competitionId: string } | { note: string | undefined }> {
  const row = await findRow<Row>(database().pool, {
    name: 'find-target',
    text: `SELECT c.id, c.slug, c.published, c.join, m.role, m.state, m.team_id AS "teamId", coalesce(${maySee('$2::uuid', '$3::boolean')}, false) AS seen
             FROM competitions c LEFT JOIN competition_members m ON m.competition_id = c.id AND m.user_id = $2
            WHERE c.slug = $1`,
    values: [slug, actor.userId, isAdmin(actor)],
  })
  if (!row) return { note: undefined }
  const why = whyNoEntry(row, actor.restriction !== null)
  if (why === null) return { competitionId: row.id }
  return { note: row.seen ? `This job is no entry of the competition "${row.slug}": ${why}` : undefined }
}

/** Why an upload is no entry, and what to do. Null: it is one. Pure. */
export function whyNoEntry(
  { slug, published, join, role, state, teamId }: Omit<Row, 'id' | 'seen'>,
  isRestricted: boolean,
): string | null {
  const path = `POST /api/competitions/${slug}/join`
  const page = `the page /competitions/${slug}`
  if (!published) return 'it is not published yet.'
  if (state === null)
    return {
      open: `you have not joined it. Join on ${page} or with ${path}, then submit again.`,
      approve: `you have not joined it. Ask to join on ${page} or with ${path}, and submit again after a host has approved.`,
      roster: `you have not joined it. Those on its roster join on ${page} or with ${path}; others ask a host.`,
    }[join]
  if (state === 'requested')
    return 'a host has not approved your request to join yet. Submit again after that.'
  if (isRestricted)
    return 'this token is restricted, and sends no entries. Use a token that you created yourself, without a restriction.'
  if (role !== null && staffRoles.includes(role)) return null
  if (role === 'observer') return 'observers send no entries.'
  return teamId === null ? `you are in no team. Join one on ${page}, then submit again.` : null
}
