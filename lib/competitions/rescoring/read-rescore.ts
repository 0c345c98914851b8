import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { Actor } from '../../access/actor'
import { database } from '../../database/client'
import { findCompetition, findPhase, requireHost } from '../access'
import { type RankedRow, rankColumn } from '../boards/rank'
import { rank, rulesOf } from '../boards/ranking'
import { readEntries } from '../boards/read-entries'
import type {
  RescoreRow as PreviewRow,
  Rescore,
  RescoreDetail,
  rescoreQuerySchema,
} from '../contract-rescores'
import {
  findRescore,
  type RescoreRow,
  rescoreColumns,
  rescoreTables,
  type SeenRescore,
  toRescore,
} from './find-rescore'
import { countMissing, isOutdated } from './pending-entries'

/** Failures that one answer names. */
const maxFailures = 200

/** Lists the sets of a phase, the newest first. There are few. */
export async function listRescores(actor: Actor, slug: string, key: string): Promise<Rescore[]> {
  const competition = await findCompetition(actor, slug)
  requireHost(competition)
  const phase = await findPhase(competition, key)
  const { rows } = await database().pool.query<RescoreRow>({
    name: 'list-rescores',
    text: `SELECT ${rescoreColumns} FROM ${rescoreTables} WHERE s.phase_id = $1 ORDER BY s.created_at DESC, s.id DESC`,
    values: [phase.id],
  })
  return rows.map(toRescore)
}

/** Reads a set with its failures, and with what it would change as soon as it is ready. */
export async function readRescore(
  actor: Actor,
  id: string,
  page: z.output<typeof rescoreQuerySchema>,
): Promise<RescoreDetail> {
  const set = await findRescore(actor, id)
  const { state, competition, phase, scorerId, labels } = set
  const { pool } = database()
  const isOpen = state === 'running' || state === 'ready'
  const { spec } = phase
  const outdated =
    isOpen && (await isOutdated(pool, { competitionId: competition.id, spec, scorerId, labels }))
  const { rows: failures } = await pool.query<RescoreDetail['failures'][number]>({
    name: 'failures-of-rescore',
    text: `SELECT e.id AS entry_id, coalesce(t.name, u.handle) AS team, e.kind, coalesce(r.failure, '') AS message, e.state = 'scored' AS keeps
             FROM score_runs r JOIN entries e ON e.id = r.entry_id JOIN users u ON u.id = e.user_id
             LEFT JOIN competition_teams t ON t.id = e.team_id
            WHERE r.rescore_id = $1 AND r.state = 'failed' ORDER BY e.received_at, e.id LIMIT $2`,
    values: [id, maxFailures],
  })
  return {
    ...toRescore(set),
    awaited: isOpen && !outdated ? (await countMissing(pool, id)).open : 0,
    outdated,
    failures,
    preview: state === 'ready' ? await preview(set, page) : null,
  }
}

/** What the live board would be, as the hosts see it. */
async function preview(
  { id, competition, phase }: SeenRescore,
  { offset, limit }: z.output<typeof rescoreQuerySchema>,
): Promise<NonNullable<RescoreDetail['preview']>> {
  const rules = rulesOf(competition, phase, { isStaff: true, isRevealed: phase.revealedAt !== null })
  const rowsWith = async (rescoreId: string | null) =>
    rank((await readEntries(phase.id, rules, null, rescoreId)).entries, rules)
  const before = await rowsWith(null)
  const after = await rowsWith(id)
  const all = compareRows(before, after)
  const changed = all.filter(
    ({ rank: { before: from, after: to }, values }) =>
      from !== to || !isDeepStrictEqual(values.before, values.after),
  )
  return {
    columns: [...rules.shown],
    rank_by: rankColumn(rules),
    unchanged: all.length - changed.length,
    total: changed.length,
    rows: changed.slice(offset, offset + limit),
  }
}

/** Pairs the rows of two boards by their team or baseline: those of the later board in its order, then those that it lacks. Pure. */
export function compareRows(before: readonly RankedRow[], after: readonly RankedRow[]): PreviewRow[] {
  const keyOf = ({ team_id, team }: RankedRow) => team_id ?? `baseline ${team}`
  const earlier = new Map(before.map((row) => [keyOf(row), row]))
  const later = new Set(after.map(keyOf))
  const pairs: [RankedRow | undefined, RankedRow | undefined][] = [
    ...after.map((row): [RankedRow | undefined, RankedRow] => [earlier.get(keyOf(row)), row]),
    ...before.filter((row) => !later.has(keyOf(row))).map((row): [RankedRow, undefined] => [row, undefined]),
  ]
  return pairs.flatMap(([from, to]) => {
    const row = to ?? from
    if (!row) return []
    return [
      {
        team: row.team,
        kind: row.kind,
        rank: { before: from?.rank ?? null, after: to?.rank ?? null },
        values: { before: from?.values ?? null, after: to?.values ?? null },
      },
    ]
  })
}
