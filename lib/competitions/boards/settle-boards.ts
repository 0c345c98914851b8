import { recordAudit } from '../../access/audit'
import { database } from '../../database/client'
import { transaction } from '../../database/transaction'
import type { PhaseRow, SeenCompetition } from '../access'
import { phaseColumns } from '../access'
import { changeBoard } from './change-board'
import { computeRanking, viewOf, yesterdayOf } from './ranking'

/** SQL: no entry of the phase `p` that was received before a time can still be scored. An upload that was complete then is stored a minute later. */
const isSettled = (time: string) =>
  `(${time} <= now() - interval '1 minute' AND NOT EXISTS (
     SELECT 1 FROM entries e WHERE e.competition_id = p.competition_id AND e.phase_id = p.id AND e.received_at < ${time}
        AND e.state IN ('held', 'running', 'scoring') AND e.kind <> 'rehearsal'))`

interface FrozenPhase extends PhaseRow {
  freezeAt: Date
  competitionSpec: SeenCompetition['spec']
}

/**
 * Stores the boards of phases whose freeze has begun, as soon as all entries received before have ended. Participants see it until
 * the reveal, whatever is scored again, disqualified or renamed meanwhile: each difference would tell them something of what is hidden.
 */
async function storeFrozenBoards(): Promise<void> {
  const { rows } = await database().pool.query<FrozenPhase>({
    name: 'find-frozen-boards',
    text: `SELECT ${phaseColumns}, c.spec AS "competitionSpec"
             FROM competition_phases p JOIN competitions c ON c.id = p.competition_id
            WHERE p.position IS NOT NULL AND p.revealed_at IS NULL AND ${isSettled('p.freeze_at')}
              AND NOT EXISTS (SELECT 1 FROM board_snapshots b WHERE b.phase_id = p.id AND b.freeze_at = p.freeze_at)`,
  })
  for (const { competitionSpec, ...phase } of rows) {
    const view = viewOf({ isStaff: false }, phase)
    const board = await computeRanking(
      { spec: competitionSpec },
      phase,
      view,
      yesterdayOf(view, phase.freezeAt),
    )
    await database().pool.query({
      name: 'store-frozen-board',
      text: `INSERT INTO board_snapshots (phase_id, freeze_at, board) VALUES ($1, $2, $3)
             ON CONFLICT (phase_id) DO UPDATE SET freeze_at = excluded.freeze_at, board = excluded.board, created_at = now()
              WHERE board_snapshots.freeze_at <> excluded.freeze_at`,
      values: [phase.id, phase.freezeAt, JSON.stringify(board)],
    })
  }
}

/** Reveals the boards of phases that say `reveal: end`, as soon as all entries have ended. */
async function revealEndedBoards(): Promise<void> {
  await transaction(async (tx) => {
    const { rows } = await tx.query<{ id: string; target: string }>({
      name: 'reveal-ended-boards',
      text: `UPDATE competition_phases p SET revealed_at = now() FROM competitions c
              WHERE c.id = p.competition_id AND p.position IS NOT NULL AND p.revealed_at IS NULL
                AND p.spec -> 'board' ->> 'reveal' = 'end' AND ${isSettled('p.ends_at')}
          RETURNING c.id, c.slug || '/' || p.key AS target`,
    })
    for (const { id, target } of rows) {
      await changeBoard(tx, id)
      await recordAudit(tx, { actorId: null, action: 'board_revealed', target })
    }
  })
}

/** Does what becomes due for boards without a request. */
export async function settleBoards(): Promise<void> {
  await storeFrozenBoards()
  await revealEndedBoards()
}
