import { uuidv7 } from 'uuidv7'
import { database } from '../../database/client'
import { changeBoard } from '../boards/change-board'
import type { TestCompetition } from './competition'

export interface ScoredEntryOptions {
  /** Null: a baseline. */
  teamId: string | null
  userId: string
  scores: Record<string, unknown>
  kind?: 'entry' | 'rehearsal' | 'baseline'
  name?: string
  receivedAt?: Date
  chosen?: boolean
  disqualified?: boolean
}

/** Inserts entries with scores, as scoring programs would have left them. Returns their ids. */
export async function insertScored(
  { id, slug, phases, scorerId, config }: TestCompetition,
  entries: readonly ScoredEntryOptions[],
  phase = config.phases[0]?.key ?? '',
): Promise<string[]> {
  const { pool } = database()
  const rows = entries.map(({ kind, teamId, receivedAt = new Date(), ...entry }) => ({
    id: uuidv7(),
    run_id: uuidv7(),
    kind: kind ?? (teamId === null ? 'baseline' : 'entry'),
    team_id: teamId,
    user_id: entry.userId,
    scores: entry.scores,
    name: entry.name ?? null,
    received_at: receivedAt,
    chosen: entry.chosen ?? false,
    disqualified: entry.disqualified ?? false,
  }))
  await pool.query(
    `WITH given AS (
       SELECT * FROM jsonb_to_recordset($1::jsonb) AS g(id uuid, run_id uuid, kind text, team_id uuid, user_id uuid, scores jsonb, name text,
                                                        received_at timestamptz, chosen boolean, disqualified boolean)
     ), runs AS (
       INSERT INTO score_runs (id, entry_id, scorer_id, labels, state, scores, ended_at)
       SELECT run_id, id, $5, '{}', 'scored', scores, now() FROM given WHERE kind <> 'rehearsal'
     )
     INSERT INTO entries (id, competition_id, phase_id, team_id, user_id, kind, name, code, source_hash, received_at, state, mounts, labels,
                          spec, scorer_id, seed, score_run_id, chosen, disqualified_at, disqualified_why, body_hash, ended_at)
     SELECT id, $2, $3, team_id, user_id, kind::"EntryKind", name, '', sha256('x'), received_at, 'scored', '{}', '{}', $4, $5, '1',
            CASE WHEN kind <> 'rehearsal' THEN run_id END, chosen, CASE WHEN disqualified THEN now() END,
            CASE WHEN disqualified THEN 'copied from ' || $6 END, sha256('x'), now()
       FROM given`,
    [JSON.stringify(rows), id, phases[phase], config.phases.find(({ key }) => key === phase), scorerId, slug],
  )
  await changeBoard(pool, id)
  return rows.map((row) => row.id)
}
