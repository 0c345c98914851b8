import type { z } from 'zod'
import type { Actor } from '../../access/actor'
import { ByteCache } from '../../async/byte-cache'
import { ConcurrencyLimit } from '../../async/concurrency-limit'
import { unavailable } from '../../contract/errors'
import { database } from '../../database/client'
import { findCompetition, findPhase, type PhaseRow, requireStaff, type SeenCompetition } from '../access'
import { findRanking } from '../boards/ranking'
import type { Similar, similarQuerySchema } from '../contract-similarity'
import { findPairs } from './find-pairs'
import { takeTurns } from './turn'

/** Programs that are compared: those that were received last. */
const maxPrograms = 1_000
/** Bytes of one program, and of all together. Programs that people write are much smaller. */
const maxProgramBytes = 200_000
const maxBytes = 16 * 1024 * 1024
const maxTemplates = 20
const keptBytes = 8 * 1024 * 1024

const kept = new ByteCache<Similar>(keptBytes)
/** One comparison at a time: it takes a second for a large class. */
const comparing = new ConcurrencyLimit(1, 10)

type Query = z.output<typeof similarQuerySchema>

/**
 * Finds programs of different teams that resemble each other, for the staff.
 * @throws 503 if many others wait for a comparison.
 */
export async function findSimilar(actor: Actor, slug: string, key: string, query: Query): Promise<Similar> {
  const competition = await findCompetition(actor, slug)
  requireStaff(competition)
  const phase = await findPhase(competition, key)
  const ids = await findEntries(competition, phase)
  const name = JSON.stringify([phase.id, query, ids])
  return kept.get(name, async () => {
    const made = await comparing.run(() => compare(phase, ids, query))
    if (!made.ok) throw unavailable('Many programs are being compared. Try again in a minute.', 60)
    return { value: made.value, bytes: JSON.stringify(made.value).length + name.length }
  })
}

interface Chosen {
  /** One of each team. */
  entries: string[]
  /** The last baselines, which the host hands out. */
  templates: string[]
}

/** The entry of each team that counts on the board of the staff, otherwise its last one. */
async function findEntries(competition: SeenCompetition, phase: PhaseRow): Promise<Chosen> {
  const { rows: ranked } = (await findRanking(competition, phase)).ranking
  const teams = ranked.flatMap(({ team_id, best_at }) => (team_id === null ? [] : [{ team_id, best_at }]))
  const { rows } = await database().pool.query<{ id: string; isTemplate: boolean }>({
    name: 'entries-to-compare',
    text: `SELECT id, "isTemplate" FROM (
             SELECT DISTINCT ON (e.team_id) e.id, e.received_at, false AS "isTemplate"
               FROM entries e LEFT JOIN unnest($2::uuid[], $3::timestamptz[]) AS w (team_id, best_at) ON w.team_id = e.team_id
              WHERE e.phase_id = $1 AND e.kind = 'entry'
              ORDER BY e.team_id, (e.received_at = w.best_at) IS TRUE DESC, e.received_at DESC, e.id DESC) counting
           UNION ALL SELECT * FROM (
             SELECT id, true FROM entries WHERE phase_id = $1 AND kind = 'baseline' ORDER BY received_at DESC, id DESC LIMIT $4) templates`,
    values: [
      phase.id,
      teams.map(({ team_id }) => team_id),
      teams.map(({ best_at }) => best_at),
      maxTemplates,
    ],
  })
  const idsOf = (wanted: boolean) =>
    rows.filter(({ isTemplate }) => isTemplate === wanted).map(({ id }) => id)
  return { entries: idsOf(false).sort(), templates: idsOf(true) }
}

interface Source {
  id: string
  team: string | null
  code: Buffer
}

/** Reads programs, those that were received last first, as many as may be compared. */
async function readSources(ids: readonly string[]): Promise<Source[]> {
  const { rows } = await database().pool.query<Source>({
    name: 'sources-to-compare',
    text: `SELECT s.id, s.team, s.code FROM (
             SELECT w.*, sum(octet_length(w.code)) OVER (ORDER BY w.received_at DESC, w.id DESC) AS bytes FROM (
               SELECT e.id, t.name AS team, coalesce(g.content, e.code) AS code, e.received_at
                 FROM entries e LEFT JOIN competition_teams t ON t.id = e.team_id
                 LEFT JOIN jobs j ON j.id = e.job_id LEFT JOIN programs g ON g.hash = j.program_hash
                WHERE e.id = ANY ($1::uuid[])) w
              WHERE octet_length(w.code) BETWEEN 1 AND $2) s
            WHERE s.bytes <= $3 ORDER BY s.received_at DESC, s.id DESC LIMIT $4`,
    values: [ids, maxProgramBytes, maxBytes, maxPrograms],
  })
  return rows
}

async function compare(phase: PhaseRow, { entries, templates }: Chosen, query: Query): Promise<Similar> {
  // The earlier program comes first in a pair.
  const programs = (await readSources(entries)).toReversed()
  const given = await readSources(templates)
  const texts = programs.map(({ code }) => code.toString())
  const pairs = await findPairs(
    texts,
    given.map(({ code }) => code.toString()),
    { minShare: query.min_share, limit: query.limit },
    takeTurns(),
  )
  const show = (index: number) => ({
    entry_id: programs[index]?.id ?? '',
    team: programs[index]?.team ?? '',
    lines: countLines(texts[index] ?? ''),
  })
  return {
    phase: phase.key,
    programs: programs.length,
    left_out: entries.length - programs.length,
    templates: given.length,
    pairs: pairs.map(({ a, b, share, matches }) => ({
      share: Math.round(share * 1000) / 1000,
      a: show(a),
      b: show(b),
      matches,
    })),
  }
}

const countLines = (text: string) => text.trimEnd().split('\n').length
