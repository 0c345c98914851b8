import type { Actor } from '../../access/actor'
import { isAdmin } from '../../access/actor'
import { database } from '../../database/client'
import { cutPage, decodeTimeCursor, type Page } from '../../database/pagination'
import { findRow, oneRow, type Transaction } from '../../database/transaction'
import { findCompetition, maySee, type PhaseRow, phaseColumns, type SeenCompetition } from '../access'
import { visibleColumns } from '../columns'
import type { Competition, CompetitionDetail, Phase } from '../contract'
import type { CompetitionConfig, ScorerConfig } from '../contract-config'
import { findMissing } from './missing'

interface ListRow
  extends Pick<
    SeenCompetition,
    'id' | 'slug' | 'title' | 'timezone' | 'published' | 'join' | 'teamMax' | 'spec' | 'role' | 'state'
  > {
  visibility: Competition['visibility']
  createdAt: Date
}

const listColumns = `c.id, c.slug, c.title, c.timezone, c.published, c.visibility, c.join, c.team_max AS "teamMax", c.spec,
  c.created_at AS "createdAt", m.role, m.state`

/** Lists the competitions that the caller may see, the latest first. */
export async function listCompetitions(
  actor: Actor | null,
  { limit, cursor, joined }: { limit: number; cursor?: string | undefined; joined: boolean },
): Promise<Page<Competition>> {
  const { pool } = database()
  const after = decodeTimeCursor(cursor)
  const { rows } = await pool.query<ListRow>({
    name: 'list-competitions',
    text: `SELECT ${listColumns} FROM competitions c LEFT JOIN competition_members m ON m.competition_id = c.id AND m.user_id = $1
            WHERE ${maySee('$1::uuid', '$2::boolean')} AND (NOT $3::boolean OR m.state = 'joined')
              AND ($4::timestamptz IS NULL OR (c.created_at, c.id) < ($4, $5::uuid))
            ORDER BY c.created_at DESC, c.id DESC LIMIT $6`,
    values: [actor?.userId ?? null, actor !== null && isAdmin(actor), joined, after.at, after.id, limit + 1],
  })
  const phases = await readPhases(
    pool,
    rows.map(({ id }) => id),
  )
  return cutPage(
    rows,
    limit,
    ({ createdAt, id }) => [createdAt.toISOString(), id],
    (row) => toCompetition(row, phases.get(row.id) ?? []),
  )
}

function toCompetition(row: ListRow, phases: readonly PhaseRow[]): Competition {
  return {
    competition_id: row.slug,
    title: row.title,
    visibility: row.visibility,
    join: row.join,
    team_max: row.teamMax,
    timezone: row.timezone,
    published: row.published,
    created_at: row.createdAt.toISOString(),
    role: row.state === 'joined' ? row.role : null,
    state: row.state,
    phases: phases.map((phase) => toPhase(phase, row.spec.scorer)),
  }
}

/** The phases that competitions have now, in their order, by the id of the competition. */
async function readPhases(
  executor: Transaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PhaseRow[]>> {
  const { rows } = await executor.query<PhaseRow & { competitionId: string }>({
    name: 'phases-of-competitions',
    text: `SELECT p.competition_id AS "competitionId", ${phaseColumns} FROM competition_phases p
            WHERE p.competition_id = ANY ($1::uuid[]) AND p.position IS NOT NULL ORDER BY p.position`,
    values: [ids],
  })
  return new Map(ids.map((id) => [id, rows.filter(({ competitionId }) => competitionId === id)]))
}

function toPhase({ spec, ...phase }: PhaseRow, { outputs }: Pick<ScorerConfig, 'outputs'>): Phase {
  const { run, quota, select } = spec
  return {
    key: phase.key,
    title: spec.title ?? phase.key,
    state: phase.state,
    starts_at: phase.startsAt.toISOString(),
    ends_at: phase.endsAt.toISOString(),
    logs: spec.logs,
    rehearse: spec.rehearse !== undefined,
    run: {
      environment: run.environment ?? null,
      gpu_count: run.gpu_count,
      gpu_fraction: run.gpu_fraction ?? null,
      gpu_model: run.gpu_model ?? null,
      max_time: run.max_time,
    },
    quota: {
      per_day: quota.per_day ?? null,
      total: quota.total ?? null,
      failures_per_day: quota.failures_per_day ?? null,
    },
    late: spec.late ?? null,
    points: spec.points ?? null,
    select: select.rule,
    choose: select.rule === 'chosen' ? select.n : 0,
    outputs: outputs.map(({ path }) => path),
    inputs: spec.inputs,
    freeze_at: phase.freezeAt?.toISOString() ?? null,
    frozen: phase.freezeAt !== null && phase.revealedAt === null && phase.freezeAt <= new Date(),
    revealed: phase.revealedAt !== null,
  }
}

/** Reads a competition as the caller may see it. @throws 404 */
export async function getCompetition(
  actor: Actor | null,
  slug: string,
  executor: Transaction = database().pool,
): Promise<CompetitionDetail> {
  const seen = await findCompetition(actor, slug, executor)
  const row = await oneRow<DetailRow>(executor, {
    name: 'get-competition',
    text: `SELECT ${listColumns}, c.terms, c.terms IS NULL OR m.terms_accepted_at IS NOT NULL AS "termsAccepted", c.pages, (SELECT count(DISTINCT t.team_id)::int FROM competition_members t WHERE t.competition_id = c.id) AS teams,
                  jsonb_build_object('id', p.id, 'project_id', p.slug, 'owner', o.handle) AS project
             FROM competitions c JOIN projects p ON p.id = c.project_id JOIN users o ON o.id = c.user_id
             LEFT JOIN competition_members m ON m.competition_id = c.id AND m.user_id = $2
            WHERE c.id = $1`,
    values: [seen.id, actor?.userId ?? null],
  })
  const phases = (await readPhases(executor, [seen.id])).get(seen.id) ?? []
  const datasets = await readDatasets(executor, seen.id, seen.spec)
  const scorer = await findScorer(executor, seen.id)
  const isRevealed = phases.some(({ revealedAt }) => revealedAt !== null)
  return {
    ...toCompetition(row, phases),
    pages: seen.spec.pages.map((path) => toPage(path, row.pages[path] ?? '')),
    terms: row.terms,
    terms_accepted: row.termsAccepted,
    teams: row.teams,
    datasets: datasets.filter(({ role }) => seen.isHost || role === 'public' || role === 'sample'),
    columns: visibleColumns(scorer?.spec ?? seen.spec.scorer, { isStaff: seen.isStaff, isRevealed }),
    scorer_version: scorer?.version ?? null,
    project: seen.isHost ? row.project : null,
    missing: seen.isHost ? await findMissing(executor, seen.id, seen.spec) : [],
  }
}

interface DetailRow extends ListRow {
  terms: string | null
  termsAccepted: boolean
  pages: Record<string, string>
  teams: number
  project: NonNullable<CompetitionDetail['project']>
}

/** A page with its first heading as the title, otherwise the name of its file. */
function toPage(path: string, text: string): CompetitionDetail['pages'][number] {
  const name = path.replace(/\.md$/, '')
  const heading = /^#\s+(.+?)\s*#*\s*$/m.exec(text)?.[1]
  return { name, title: heading ?? name.split('/').at(-1) ?? name, text }
}

/** The newest version of each dataset that a competition has now. */
async function readDatasets(
  executor: Transaction,
  id: string,
  { datasets }: Pick<CompetitionConfig, 'datasets'>,
): Promise<CompetitionDetail['datasets']> {
  const { rows } = await executor.query<CompetitionDetail['datasets'][number]>({
    name: 'datasets-of-competition',
    text: `SELECT DISTINCT ON (d.name) d.name, d.role, d.version, a.files, a.bytes
             FROM competition_datasets d JOIN snapshots s ON s.id = d.snapshot_id JOIN archives a ON a.id = s.archive_id
            WHERE d.competition_id = $1 AND d.name = ANY ($2::text[]) ORDER BY d.name, d.version DESC`,
    values: [id, Object.keys(datasets)],
  })
  return rows
}

/** The newest version of the scoring program; null: there is none yet. */
function findScorer(
  executor: Transaction,
  id: string,
): Promise<{ version: number; spec: ScorerConfig } | null> {
  return findRow(executor, {
    name: 'newest-scorer',
    text: 'SELECT version, spec FROM competition_scorers WHERE competition_id = $1 ORDER BY version DESC LIMIT 1',
    values: [id],
  })
}
