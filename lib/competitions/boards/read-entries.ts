import { transaction } from '../../database/transaction'
import { hasScoredOutputs } from '../scored-outputs'
import { type BoardRules, decidingColumns, type ScoredEntry, selectColumn } from './rank'

/** A scored entry, and when the last one of its team was scored. */
interface Row extends ScoredEntry {
  updatedAt: Date
}

/** SQL: the scored entries `e`, with the runs `r` whose scores count. */
const counting = `entries e JOIN score_runs r ON r.id = e.score_run_id AND e.state = 'scored'`

/** The same after a set was applied: its runs that have scores count for their entries, also for those whose scoring program had failed. */
const countingAfter = `entries e LEFT JOIN score_runs n ON n.rescore_id = $8 AND n.entry_id = e.id AND n.state = 'scored'
               JOIN score_runs r ON r.id = coalesce(n.id, e.score_run_id)
                AND ${hasScoredOutputs}`

/**
 * Reads the entries of a phase that can count on its board, which are few of all: the board of them is that of all scored entries that
 * are on time. Late ones count for grades only. PostgreSQL and JavaScript round differently, so this takes whatever may round to the same
 * digits as the best ones.
 * @param until only entries received before; null: all
 * @param rescoreId the set whose new scores count, as if it were applied; null: none
 */
export async function readEntries(
  phaseId: string,
  rules: Pick<BoardRules, 'select' | 'board' | 'columns'>,
  until: Date | null,
  rescoreId: string | null = null,
): Promise<{ entries: ScoredEntry[]; updatedAt: Date | null }> {
  const { select, columns } = rules
  const by = selectColumn(select)
  const column = by === null ? undefined : columns[by]
  const rows = await transaction(async (tx) => {
    // Compiling takes longer than 200,000 entries do. Sorting them in memory takes 20 MB, for one board at a time.
    await tx.query('SET LOCAL jit = off')
    await tx.query("SET LOCAL work_mem = '64MB'")
    const read = await tx.query<Row>({
      name: rescoreId === null ? 'read-board-entries' : 'read-rescored-entries',
      text: `WITH scored AS (
             SELECT e.id, r.id AS score_run_id, e.received_at, e.chosen, r.ended_at, CASE WHEN e.kind = 'entry' THEN e.team_id END AS team_id,
                    CASE WHEN e.kind = 'baseline' THEN coalesce(e.name, 'Baseline') END AS baseline,
                    CASE WHEN $4::text IS NULL THEN -extract(epoch FROM e.received_at) ELSE $5 * (r.scores ->> $4)::numeric END AS cost
               FROM ${rescoreId === null ? counting : countingAfter}
              WHERE e.phase_id = $1 AND e.received_at < (SELECT p.ends_at FROM competition_phases p WHERE p.id = $1)
                AND e.kind <> 'rehearsal' AND e.disqualified_at IS NULL
                AND ($2::timestamptz IS NULL OR e.received_at < $2)
                AND r.scores ?& $3::text[] AND NOT r.scores @? '$.* ? (@.type() != "number")'
           ), placed AS (
             SELECT s.*, row_number() OVER (PARTITION BY team_id, baseline ORDER BY cost, received_at, id) AS place,
                    row_number() OVER (PARTITION BY team_id, baseline, cost ORDER BY received_at, id) AS equal,
                    count(*) OVER (PARTITION BY team_id, baseline)::int AS entries,
                    max(ended_at) OVER (PARTITION BY team_id, baseline) AS updated_at
               FROM scored s
           ), limited AS (
             SELECT p.*, max(cost) FILTER (WHERE place <= $6) OVER (PARTITION BY team_id, baseline) AS worst FROM placed p
           )
           SELECT l.id, l.team_id AS "teamId", coalesce(t.name, l.baseline) AS team, l.received_at AS "receivedAt", l.chosen, r.scores,
                  l.entries, l.updated_at AS "updatedAt"
             FROM limited l JOIN score_runs r ON r.id = l.score_run_id LEFT JOIN competition_teams t ON t.id = l.team_id
            WHERE l.chosen OR ((l.equal <= $6 OR $4 IS NULL) AND l.cost <= l.worst + $7::numeric)`,
      values: [
        phaseId,
        until,
        decidingColumns(rules),
        by,
        column?.order === 'asc' ? 1 : -1,
        select.rule === 'chosen' ? select.n : 1,
        column ? `2e-${column.digits}` : '0',
        ...(rescoreId === null ? [] : [rescoreId]),
      ],
    })
    return read.rows
  })
  const updated = rows.reduce((latest, { updatedAt }) => Math.max(latest, updatedAt.getTime()), 0)
  return { entries: rows, updatedAt: rows.length > 0 ? new Date(updated) : null }
}
