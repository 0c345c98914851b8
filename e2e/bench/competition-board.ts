import { uuidv7 } from 'uuidv7'
import { changeBoard } from '@/lib/competitions/boards/change-board'
import { makeCompetition } from '@/lib/competitions/testing/competition'
import { insertScored } from '@/lib/competitions/testing/scored-entries'
import { connect, setDatabase } from '@/lib/database/client'
import type { System } from '../system/start-system'
import { timeOf } from './job-list'
import { type Figures, figuresOf } from './measure'

export const boardTeams = 10_000
export const entriesOfTeam = 20
const pageRows = 100
/** Requests of each round. */
const pagesOfRound = 50

/** Measures the board of a large competition for a visitor: the first page after a change of a score, and pages without one. */
export async function benchBoard(system: System, rounds: number): Promise<{ first: Figures; page: Figures }> {
  const database = connect(system.databaseUrl, 2)
  setDatabase(database)
  const { pool } = database
  const { rows: users } = await pool.query<{ id: string }>("SELECT id FROM users WHERE handle = 'admin'")
  const userId = users[0]?.id ?? ''
  const competition = await makeCompetition({ config: { visibility: 'public' } })
  const teams = Array.from({ length: boardTeams }, () => uuidv7())
  await pool.query(
    "INSERT INTO competition_teams (id, competition_id, name) SELECT id, $1, 'team ' || id FROM unnest($2::uuid[]) AS id",
    [competition.id, teams],
  )
  for (let round = 0; round < entriesOfTeam; round++)
    await insertScored(
      competition,
      teams.map((teamId) => ({ teamId, userId, scores: { acc: Math.random(), priv: Math.random() } })),
    )
  await pool.query('VACUUM ANALYZE entries, score_runs, competition_teams')
  const url = `${system.url}/api/competitions/${competition.slug}/phases/main/leaderboard?limit=${pageRows}`
  const [first, page]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    await changeBoard(pool, competition.id)
    first.push(await timeOf(url, {}, '"rank"'))
    for (let index = 0; index < pagesOfRound; index++) {
      const offset = (index * pageRows) % boardTeams
      page.push(await timeOf(`${url}&offset=${offset}`, {}, '"rank"'))
    }
  }
  await database.close()
  return { first: figuresOf(first), page: figuresOf(page) }
}
