import type { z } from 'zod'
import type { Actor } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { renewActor } from '../../access/credential-validity'
import { conflict } from '../../contract/errors'
import { toCell } from '../../contract/text/csv-cell'
import { transaction } from '../../database/transaction'
import { contentDisposition } from '../../jobs/downloads/content-disposition'
import { findCompetition, findPhase, requireHost } from '../access'
import { type Board, type BoardRow, boardQuerySchema } from '../contract-boards'
import { changeBoard } from './change-board'
import { findRanking, type Ranking } from './ranking'

type BoardQuery = z.output<typeof boardQuerySchema>

/**
 * Reads a part of the board of a phase, as the caller may see it.
 * @param actor null: has not signed in
 */
export async function readBoard(
  actor: Actor | null,
  slug: string,
  key: string,
  { offset, limit, q }: BoardQuery,
): Promise<Board> {
  const competition = await findCompetition(actor, slug)
  const phase = await findPhase(competition, key)
  const { ranking, frozenAt } = await findRanking(competition, phase)
  const { teamId } = competition
  const rowOf = ({ team_id, ...row }: Ranking['rows'][number]): BoardRow => ({
    ...row,
    own: teamId !== null && team_id === teamId,
  })
  const wanted = q?.toLowerCase()
  const found =
    wanted === undefined
      ? ranking.rows
      : ranking.rows.filter(({ team }) => team.toLowerCase().includes(wanted))
  const own = teamId === null ? undefined : ranking.byTeam.get(teamId)
  return {
    competition_id: competition.slug,
    phase: phase.key,
    columns: ranking.columns,
    rank_by: ranking.rank_by,
    frozen_at: frozenAt?.toISOString() ?? null,
    revealed: phase.revealedAt !== null,
    updated_at: ranking.updated_at,
    total: found.length,
    rows: found.slice(offset, offset + limit).map(rowOf),
    own: own ? rowOf(own) : null,
  }
}

/** The complete board as CSV, with the order, ranks and digits of {@link readBoard}. */
export async function downloadBoard(actor: Actor | null, slug: string, key: string): Promise<Response> {
  const competition = await findCompetition(actor, slug)
  const phase = await findPhase(competition, key)
  const { ranking } = await findRanking(competition, phase)
  return contentDisposition(toCsv(ranking), {
    name: `${competition.slug}-${phase.key}.csv`,
    type: 'text/csv; charset=utf-8',
    mayRead: async () => {
      const current = actor && (await renewActor(actor))
      if (actor !== null && current === null) return false
      return findCompetition(current, slug).then(
        ({ isStaff }) => isStaff === competition.isStaff,
        () => false,
      )
    },
  })
}

/** Lines that are sent together. */
const linesTogether = 500

async function* toCsv({ columns, rows }: Ranking): AsyncGenerator<Buffer> {
  const names = columns.map(({ name }) => name)
  yield Buffer.from(`${['rank', 'team', ...names, 'entries', 'best_at'].join(',')}\r\n`)
  for (let from = 0; from < rows.length; from += linesTogether) {
    const lines = rows.slice(from, from + linesTogether).map(({ rank, team, values, entries, best_at }) =>
      // Values are digits: only a text that somebody chose can be a formula.
      [rank ?? '', toCell(team), ...names.map((name) => values[name] ?? ''), entries, best_at].join(','),
    )
    yield Buffer.from(`${lines.join('\r\n')}\r\n`)
  }
}

/** Shows the final board to everybody. A board that is revealed stays so. */
export async function revealBoard(actor: Actor, slug: string, key: string): Promise<Board> {
  const competition = await findCompetition(actor, slug)
  requireHost(competition)
  const phase = await findPhase(competition, key)
  if (phase.state !== 'ended')
    throw conflict(
      `The phase "${key}" ends at ${phase.endsAt.toISOString()}. Reveal its board then: until then, teams must not see the private columns.`,
    )
  await transaction(async (tx) => {
    const { rowCount } = await tx.query({
      name: 'reveal-board',
      text: 'UPDATE competition_phases SET revealed_at = now() WHERE id = $1 AND revealed_at IS NULL AND ends_at <= now()',
      values: [phase.id],
    })
    if (rowCount === 0) return
    await changeBoard(tx, competition.id)
    await recordAudit(tx, { actorId: actor.userId, action: 'board_revealed', target: `${slug}/${key}` })
  })
  return readBoard(actor, slug, key, boardQuerySchema.parse({}))
}
