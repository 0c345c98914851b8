import type { Rights } from '../access'
import { formatScore, visibleColumns } from '../columns'
import type { PhaseConfig, ScorerConfig } from '../contract-config'
import type { Entry, EntryCause, EntryState } from '../contract-entries'
import { describeEntry } from '../contract-entry-message'

/** An entry as the database has it. Nothing of it reaches a caller but through {@link toEntry}. */
export interface EntryRow {
  id: string
  competitionId: string
  slug: string
  phase: string
  kind: Entry['kind']
  name: string | null
  teamId: string | null
  team: string | null
  userId: string
  sender: string
  state: EntryState
  cause: EntryCause | null
  detail: string | null
  receivedAt: Date
  endedAt: Date | null
  /** How long the program ran; null: it has not ended, or never started. */
  seconds: number | null
  scores: Record<string, number> | null
  /** The scoring program whose scores count, or the one that will run. */
  scorerVersion: number
  scorer: ScorerConfig
  revealedAt: Date | null
  spec: PhaseConfig
  chosen: boolean
  disqualifiedWhy: string | null
  sourceSha256: string
  mounts: Record<string, string>
  labels: Record<string, string>
  seed: string
  jobId: string | null
  image: string | null
  gpus: string[]
}

/** Hidden data could be read from how long a program runs, so participants see times in steps. */
const stepS = 10

/** SQL for {@link EntryRow}, of the entry `e`. */
export const entryColumns = `e.id, e.competition_id AS "competitionId", c.slug, p.key AS phase, e.kind, e.name, e.team_id AS "teamId", t.name AS team,
  e.user_id AS "userId", u.handle AS sender, e.state, e.cause, e.detail, e.received_at AS "receivedAt", e.ended_at AS "endedAt",
  extract(epoch FROM j.ended_at - j.started_at)::float8 AS seconds, r.scores, s.version AS "scorerVersion", s.spec AS scorer,
  p.revealed_at AS "revealedAt", e.spec, e.chosen, e.disqualified_why AS "disqualifiedWhy", encode(e.source_hash, 'hex') AS "sourceSha256",
  e.mounts, coalesce(r.labels, e.labels) AS labels, e.seed, e.job_id AS "jobId", j.image_digest AS image,
  ARRAY(SELECT g.model FROM tasks k JOIN allocations a ON a.task_id = k.id JOIN gpus g ON g.id = a.gpu_id
         WHERE k.job_id = j.id AND k.attempt = j.attempt ORDER BY g.model) AS gpus`

export const entryTables = `entries e JOIN competitions c ON c.id = e.competition_id JOIN competition_phases p ON p.id = e.phase_id
  JOIN users u ON u.id = e.user_id LEFT JOIN competition_teams t ON t.id = e.team_id LEFT JOIN jobs j ON j.id = e.job_id
  LEFT JOIN score_runs r ON r.id = e.score_run_id JOIN competition_scorers s ON s.id = coalesce(r.scorer_id, e.scorer_id)`

/** Whether a viewer of an entry may read what it prints. */
export function mayReadLog({ kind, spec }: Pick<EntryRow, 'kind' | 'spec'>, { isStaff }: Rights): boolean {
  return isStaff || kind === 'rehearsal' || spec.logs === 'own'
}

/**
 * What a viewer may know about an entry: the only way from a row to a caller. The caller has checked that the viewer may see the entry at all.
 * Private scores, jobs and labels are for hosts, details of failures for the staff.
 */
export function toEntry(row: EntryRow, viewer: Rights): Entry {
  const { isHost, isStaff } = viewer
  const log = mayReadLog(row, viewer)
  const known = {
    kind: row.kind,
    state: row.state,
    cause: row.cause,
    log,
    disqualified: row.disqualifiedWhy,
  }
  const message = describeEntry(known, {
    canRehearse: row.spec.rehearse !== undefined,
    outputs: row.scorer.outputs.map(({ path }) => path),
  })
  return {
    ...known,
    id: row.id,
    competition_id: row.slug,
    phase: row.phase,
    name: row.name,
    team: row.team ?? row.sender,
    user_id: row.sender,
    message: isStaff && row.detail !== null ? `${message} ${row.detail}` : message,
    received_at: row.receivedAt.toISOString(),
    ended_at: row.endedAt && (log ? row.endedAt : inSteps(row.endedAt)).toISOString(),
    seconds:
      row.seconds === null ? null : log ? Math.ceil(row.seconds) : Math.ceil(row.seconds / stepS) * stepS,
    scores: visibleScores(row, isHost),
    chosen: row.chosen,
    source_sha256: row.sourceSha256,
    provenance:
      row.endedAt === null
        ? null
        : {
            scorer_version: row.scorerVersion,
            data: dataOf(isHost ? { ...row.mounts, ...row.labels } : row.mounts),
            seed: row.seed,
            image: row.image,
            gpus: row.gpus,
          },
    job_id: isHost ? row.jobId : null,
  }
}

const inSteps = (at: Date) => new Date(Math.ceil(at.getTime() / (stepS * 1000)) * stepS * 1000)

function visibleScores(
  { scores, scorer, revealedAt }: Pick<EntryRow, 'scores' | 'scorer' | 'revealedAt'>,
  isHost: boolean,
): Record<string, string> {
  if (scores === null) return {}
  const columns = visibleColumns(scorer, { isStaff: isHost, isRevealed: revealedAt !== null })
  return Object.fromEntries(
    columns.flatMap(({ name, digits }) => {
      const value = scores[name]
      return value === undefined ? [] : [[name, formatScore(value, digits)]]
    }),
  )
}

/** The versions of the data, by the names of the datasets. */
function dataOf(mounts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(mounts).map(([path, reference]) => [path.slice(path.lastIndexOf('/') + 1), reference]),
  )
}
