import { createHash, randomBytes } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { makeJobPlace, makeUser } from '../../cluster/testing/rows'
import { database } from '../../database/client'
import type { CompetitionRole } from '../contract'
import { type CompetitionConfig, competitionConfigSchema, phaseTimes } from '../contract-config'
import { type CompetitionKeys, competitionKeys } from './competition-keys'

/** The first version of a directory of a competition. */
interface TestSnapshot {
  id: string
  /** NAME@1. */
  reference: string
}

export interface TestCompetition {
  id: string
  slug: string
  config: CompetitionConfig
  projectId: string
  serviceUserId: string
  environmentId: string
  secret: Buffer
  /** Ids of the phases, by key. */
  phases: Record<string, string>
  /** By name; the scoring program is `scorer`. */
  snapshots: Record<string, TestSnapshot>
  /** The id of version 1. */
  scorerId: string
  /** Makes a user join. A participant is in a team of this name, which is made if there is none, or alone. Returns the team's id. */
  join: (
    user: { id: string },
    options?: { team?: string; role?: CompetitionRole; state?: 'requested' | 'joined' },
  ) => Promise<string | null>
}

interface Options {
  /** Keys of competition.yaml that differ from {@link competitionKeys}. */
  config?: Partial<CompetitionKeys>
  hosts?: readonly { id: string }[]
  published?: boolean
}

/**
 * Inserts a competition with everything that it needs: service account, project, phases, snapshots of its directories and a scoring
 * program. The directories are empty; their contents are not in the store.
 */
export async function makeCompetition({
  config: keys,
  hosts = [],
  published = true,
}: Options = {}): Promise<TestCompetition> {
  const config = competitionConfigSchema.parse(competitionKeys(keys))
  const { slug } = config
  const id = uuidv7()
  const secret = randomBytes(32)
  const serviceUserId = await makeUser(`competition-${slug}`)
  const { projectId, environmentId } = await makeJobPlace({ userId: serviceUserId, project: slug })
  const { pool } = database()
  await pool.query('UPDATE projects SET retention_days = 0 WHERE id = $1', [projectId])
  await pool.query('UPDATE users SET storage_quota_gib = 0 WHERE id = $1', [serviceUserId])
  await pool.query(
    `INSERT INTO competitions (id, slug, title, visibility, "join", team_max, timezone, terms, parallel, spec, pages, project_id, user_id,
                               secret, published, created_by_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, '{}', $11, $12, $13, $14, $15)`,
    [
      id,
      slug,
      config.title,
      config.visibility,
      config.join,
      config.team_max,
      config.timezone,
      config.terms ?? null,
      config.parallel,
      config,
      projectId,
      serviceUserId,
      secret,
      published,
      hosts[0]?.id ?? null,
    ],
  )
  const join = (
    user: { id: string },
    options: { team?: string; role?: CompetitionRole; state?: 'requested' | 'joined' } = {},
  ) => joinCompetition(id, user.id, options)
  for (const host of hosts) {
    await join(host, { role: 'host' })
    await pool.query("INSERT INTO memberships (project_id, user_id, role) VALUES ($1, $2, 'manager')", [
      projectId,
      host.id,
    ])
  }
  const snapshots: Record<string, TestSnapshot> = {}
  for (const name of [...Object.keys(config.datasets), 'scorer'])
    snapshots[name] = await insertSnapshot(projectId, name)
  for (const [name, { role }] of Object.entries(config.datasets)) {
    await pool.query(
      'INSERT INTO competition_datasets (id, competition_id, name, role, version, snapshot_id) VALUES ($1, $2, $3, $4, 1, $5)',
      [uuidv7(), id, name, role, snapshots[name]?.id],
    )
  }
  const scorerId = uuidv7()
  await pool.query(
    'INSERT INTO competition_scorers (id, competition_id, version, snapshot_id, spec) VALUES ($1, $2, 1, $3, $4)',
    [scorerId, id, snapshots.scorer?.id, config.scorer],
  )
  const phases = await insertPhases(id, config)
  return {
    id,
    slug,
    config,
    projectId,
    serviceUserId,
    environmentId,
    secret,
    phases,
    snapshots,
    scorerId,
    join,
  }
}

async function insertPhases(id: string, config: CompetitionConfig): Promise<Record<string, string>> {
  const phases: Record<string, string> = {}
  for (const [position, phase] of config.phases.entries()) {
    const { startMs, endMs, freezeMs } = phaseTimes(phase, config.timezone)
    const phaseId = uuidv7()
    phases[phase.key] = phaseId
    await database().pool.query(
      `INSERT INTO competition_phases (id, competition_id, key, position, starts_at, ends_at, freeze_at, spec)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        phaseId,
        id,
        phase.key,
        position,
        new Date(startMs),
        new Date(endMs),
        freezeMs === null ? null : new Date(freezeMs),
        phase,
      ],
    )
  }
  return phases
}

/** Inserts the first version of a snapshot of an empty directory. */
async function insertSnapshot(projectId: string, name: string): Promise<TestSnapshot> {
  const [archiveId, id] = [uuidv7(), uuidv7()]
  const hash = createHash('sha256').update(`${projectId} ${name}`).digest()
  await database().pool.query(
    `WITH archive AS (
       INSERT INTO archives (id, project_id, hash, manifest, files, bytes) VALUES ($1, $2, $3, '{"entries": []}', 0, 0)),
          counted AS (INSERT INTO snapshot_names (project_id, name, last_version) VALUES ($2, $4, 1))
     INSERT INTO snapshots (id, project_id, name, version, archive_id) VALUES ($5, $2, $4, 1, $1)`,
    [archiveId, projectId, hash, name, id],
  )
  return { id, reference: `${name}@1` }
}

async function joinCompetition(
  competitionId: string,
  userId: string,
  {
    team,
    role = 'participant',
    state = 'joined',
  }: { team?: string; role?: CompetitionRole; state?: 'requested' | 'joined' },
): Promise<string | null> {
  const { pool } = database()
  const teamId =
    role === 'participant' && state === 'joined' ? await findTeam(competitionId, userId, team) : null
  await pool.query(
    'INSERT INTO competition_members (competition_id, user_id, role, state, team_id) VALUES ($1, $2, $3, $4, $5)',
    [competitionId, userId, role, state, teamId],
  )
  return teamId
}

async function findTeam(competitionId: string, userId: string, given?: string): Promise<string> {
  const { pool } = database()
  const { rows } = await pool.query<{ name: string; id: string | null }>(
    `SELECT n.name, t.id FROM (SELECT coalesce($2, handle) AS name FROM users WHERE id = $3) n
       LEFT JOIN competition_teams t ON t.competition_id = $1 AND t.name = n.name`,
    [competitionId, given ?? null, userId],
  )
  const id = rows[0]?.id ?? uuidv7()
  if (rows[0]?.id === null)
    await pool.query('INSERT INTO competition_teams (id, competition_id, name) VALUES ($1, $2, $3)', [
      id,
      competitionId,
      rows[0].name,
    ])
  return id
}
