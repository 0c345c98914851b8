import { z } from 'zod'
import type { Actor } from '../../access/actor'
import { GpuqError, notFound } from '../../contract/errors'
import { database } from '../../database/client'
import { findRow, type Transaction } from '../../database/transaction'
import { findCompetition, type PhaseRow, phaseColumns, requireHost, type SeenCompetition } from '../access'
import type { Rescore } from '../contract-rescores'

/** A set as the database has it. */
export interface RescoreRow {
  id: string
  slug: string
  phaseKey: string
  state: Rescore['state']
  scorerId: string
  scorerVersion: number
  /** By path. */
  labels: Record<string, string>
  createdBy: string | null
  createdAt: Date
  endedAt: Date | null
  progress: Rescore['progress']
}

/** SQL for {@link RescoreRow}, of the set `s`. */
export const rescoreColumns = `s.id, c.slug, p.key AS "phaseKey", s.state, s.scorer_id AS "scorerId", q.version AS "scorerVersion", s.labels,
  u.handle AS "createdBy", s.created_at AS "createdAt", s.ended_at AS "endedAt",
  (SELECT jsonb_build_object('entries', count(*), 'waiting', count(*) FILTER (WHERE r.state = 'queued'),
            'running', count(*) FILTER (WHERE r.state = 'running'), 'scored', count(*) FILTER (WHERE r.state = 'scored'),
            'failed', count(*) FILTER (WHERE r.state = 'failed'))
     FROM score_runs r WHERE r.rescore_id = s.id) AS progress`

export const rescoreTables = `rescores s JOIN competitions c ON c.id = s.competition_id JOIN competition_phases p ON p.id = s.phase_id
  JOIN competition_scorers q ON q.id = s.scorer_id LEFT JOIN users u ON u.id = s.created_by_id`

export interface SeenRescore extends RescoreRow {
  competition: SeenCompetition
  phase: PhaseRow
}

const noSuchRescore = () =>
  notFound(
    'You have no set of new scores with this id. `gpuq competition rescore ID` shows the one that is open.',
  )

/** Finds a set of a competition whose host the caller is. @throws 404 for one that the caller may not see, 403 for others than hosts. */
export async function findRescore(
  actor: Actor,
  id: string,
  executor: Transaction = database().pool,
): Promise<SeenRescore> {
  if (!z.uuid().safeParse(id).success) throw noSuchRescore()
  const row = await findRow<RescoreRow>(executor, {
    name: 'find-rescore',
    text: `SELECT ${rescoreColumns} FROM ${rescoreTables} WHERE s.id = $1`,
    values: [id],
  })
  if (!row) throw noSuchRescore()
  const competition = await findCompetition(actor, row.slug, executor).catch((error: unknown) => {
    throw error instanceof GpuqError && error.code === 'not_found' ? noSuchRescore() : error
  })
  requireHost(competition)
  const phase = await findRow<PhaseRow>(executor, {
    name: 'phase-of-rescore',
    text: `SELECT ${phaseColumns} FROM rescores s JOIN competition_phases p ON p.id = s.phase_id WHERE s.id = $1`,
    values: [id],
  })
  if (!phase) throw noSuchRescore()
  return { ...row, competition, phase }
}

export function toRescore(row: RescoreRow): Rescore {
  return {
    id: row.id,
    competition_id: row.slug,
    phase: row.phaseKey,
    state: row.state,
    scorer_version: row.scorerVersion,
    labels: Object.fromEntries(
      Object.entries(row.labels).map(([path, reference]) => [
        path.slice(path.lastIndexOf('/') + 1),
        reference,
      ]),
    ),
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
    progress: row.progress,
  }
}
