import type { z } from 'zod'
import type { Actor } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { GpuqError } from '../../contract/errors'
import { type Transaction, transaction, undoneTransaction } from '../../database/transaction'
import { findCompetition, requireInstructor, type SeenCompetition } from '../access'
import type { RosterAnswer, rosterSchema } from '../contract'
import { decodeText } from './decode-text'
import { lockCompetition } from './locks'
import { type ParsedRoster, parseRoster, type RosterPerson, type RosterProblem } from './parse-roster'

/** Problems that an answer names. */
const namedProblems = 100

type Given = z.output<typeof rosterSchema>

/**
 * Replaces the list of who may join. Participants who have joined stay, and their sections follow the list.
 * @param read reads the request; called only after it is clear that the actor may do it
 * @param dryRun stores nothing, and answers with the problems
 * @throws 422 with the lines that are wrong; then nothing is stored.
 */
export async function replaceRoster(
  actor: Actor,
  slug: string,
  read: () => Promise<Given>,
  dryRun: boolean,
): Promise<RosterAnswer> {
  requireInstructor(await findCompetition(actor, slug))
  const given = await read()
  const { text, hint } = readText(given)
  const roster = await parseRoster(text)
  const problems = roster.problems.slice(0, namedProblems)
  if (!dryRun && roster.problems.length > 0) throw refuse(given, roster.problems)
  return (dryRun ? undoneTransaction : transaction)(async (tx) => {
    const competition = await findCompetition(actor, slug, tx)
    requireInstructor(competition)
    await lockCompetition(tx, competition.id)
    const counts = await store(tx, competition, roster)
    if (!dryRun)
      await recordAudit(tx, {
        actorId: actor.userId,
        action: 'competition_roster_replaced',
        target: slug,
        detail: { ...counts },
      })
    const hints = [...(hint === null ? [] : [hint]), ...roster.hints, ...hintsOf(competition, roster)]
    return { dry_run: dryRun, ...counts, hints, problems }
  })
}

const readText = ({ csv, file = '' }: Given) =>
  csv === undefined ? decodeText(Buffer.from(file, 'base64')) : { text: csv, hint: null }

function refuse({ csv }: Given, problems: readonly RosterProblem[]): GpuqError {
  const path = csv === undefined ? 'file' : 'csv'
  const named = problems.slice(0, namedProblems)
  const more = problems.length > 1 ? ` ${problems.length} lines are wrong.` : ''
  return new GpuqError(
    'invalid_fields',
    `Line ${named[0]?.line}: ${named[0]?.message}${more} Nothing was stored.`,
    { errors: named.map(({ line, message }) => ({ path, line, message })) },
  )
}

function hintsOf({ join, slug }: SeenCompetition, { hasSections }: ParsedRoster): string[] {
  return [
    ...(join === 'roster'
      ? []
      : [
          `The roster of "${slug}" restricts nobody while competition.yaml has join: ${join}. Write join: roster.`,
        ]),
    ...(hasSections ? [] : ['The file has no column section, so the sections of members stay as they are.']),
  ]
}

type Counts = Pick<RosterAnswer, 'added' | 'changed' | 'removed' | 'unchanged' | 'moved'>

async function store(
  tx: Transaction,
  { id }: SeenCompetition,
  { people, hasSections }: ParsedRoster,
): Promise<Counts> {
  const unique = [...new Map(people.map((person) => [person.email, person])).values()]
  const emails = unique.map(({ email }) => email)
  const removed = await tx.query(
    'DELETE FROM competition_roster WHERE competition_id = $1 AND email NOT IN (SELECT unnest($2::text[]))',
    [id, emails],
  )
  const { added, changed } = await writePeople(tx, id, unique)
  const moved = hasSections
    ? await tx.query(
        `UPDATE competition_members m SET section = r.section FROM competition_roster r JOIN users u ON lower(u.email) = r.email
          WHERE m.competition_id = $1 AND r.competition_id = $1 AND u.id = m.user_id AND m.role = 'participant'
            AND m.section IS DISTINCT FROM r.section`,
        [id],
      )
    : { rowCount: 0 }
  return {
    added,
    changed,
    removed: removed.rowCount ?? 0,
    unchanged: unique.length - added - changed,
    moved: moved.rowCount ?? 0,
  }
}

async function writePeople(
  tx: Transaction,
  id: string,
  people: readonly RosterPerson[],
): Promise<{ added: number; changed: number }> {
  const columns = [
    people.map(({ email }) => email),
    people.map(({ name }) => name),
    people.map(({ section }) => section),
  ]
  const changed = await tx.query(
    `UPDATE competition_roster r SET name = w.name, section = w.section
       FROM unnest($2::text[], $3::text[], $4::text[]) AS w (email, name, section)
      WHERE r.competition_id = $1 AND r.email = w.email AND (r.name, r.section) IS DISTINCT FROM (w.name, w.section)`,
    [id, ...columns],
  )
  const added = await tx.query(
    `INSERT INTO competition_roster (competition_id, email, name, section)
     SELECT $1, w.email, w.name, w.section FROM unnest($2::text[], $3::text[], $4::text[]) AS w (email, name, section)
     ON CONFLICT (competition_id, email) DO NOTHING`,
    [id, ...columns],
  )
  return { added: added.rowCount ?? 0, changed: changed.rowCount ?? 0 }
}
