import { createHash, randomUUID } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { database } from '../../database/client'
import type { Entry } from '../contract-entries'
import type { TestCompetition } from './competition'

export interface HeldEntryOptions {
  userId: string
  /** Null: a baseline. */
  teamId: string | null
  kind?: Entry['kind']
  /** A text of its own if absent. */
  code?: string
  args?: string[]
  receivedAt?: Date
}

/** Inserts an entry of the first phase that waits for a job, as a submission would have left it. Returns its id. */
export async function holdEntry(
  { id: competitionId, phases, scorerId, config, snapshots }: TestCompetition,
  { userId, teamId, kind = teamId === null ? 'baseline' : 'entry', ...given }: HeldEntryOptions,
): Promise<string> {
  const id = uuidv7()
  const [phase] = config.phases
  const at = (names: readonly string[], place: string) =>
    Object.fromEntries(names.map((name) => [`${place}/${name}`, snapshots[name]?.reference]))
  const code = given.code ?? `print("${randomUUID()}")`
  await database().pool.query(
    `INSERT INTO entries (id, competition_id, phase_id, team_id, user_id, kind, code, args, source_hash, received_at, mounts, labels, spec,
                          scorer_id, seed, body_hash)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $9)`,
    [
      id,
      competitionId,
      phases[phase?.key ?? ''],
      teamId,
      userId,
      kind,
      Buffer.from(code),
      given.args ?? [],
      createHash('sha256').update(code).digest(),
      given.receivedAt ?? new Date(),
      at(phase?.inputs ?? [], '/data'),
      at(phase?.labels ?? [], '/labels'),
      phase,
      scorerId,
      `seed of ${id}`,
    ],
  )
  return id
}
