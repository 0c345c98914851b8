import type { Actor } from '../access/actor'
import { renewActor } from '../access/credential-validity'
import { findVisible } from '../access/projects/projects'
import { notFound } from '../contract/errors'
import { toCell } from '../contract/text/csv-cell'
import { database } from '../database/client'
import { contentDisposition } from '../jobs/downloads/content-disposition'
import type { ProjectBoard } from './contract'
import { readProjectBoard } from './read-board'

/** The board of a project as CSV. @throws 404 for strangers, and if there is no board. */
export async function downloadProjectBoard(actor: Actor, projectId: string): Promise<Response> {
  const { slug } = await findVisible(database().pool, actor, projectId)
  const board = await readProjectBoard(actor, projectId)
  if (board.metric === null) throw notFound(`"${slug}" has no board. Its owner chooses a metric for one.`)
  return contentDisposition(toCsv(board), {
    name: `${slug}-leaderboard.csv`,
    type: 'text/csv; charset=utf-8',
    mayRead: async () => {
      const current = await renewActor(actor)
      if (current === null) return false
      return findVisible(database().pool, current, projectId).then(
        () => true,
        () => false,
      )
    },
  })
}

async function* toCsv({ metric, rows }: ProjectBoard): AsyncGenerator<Buffer> {
  const head = ['rank', 'member', toCell(metric ?? ''), 'jobs', 'best_at']
  // Only a text that somebody chose can be a formula.
  const lines = rows.map(({ rank, member, value, jobs, best_at }) => [
    rank,
    toCell(member),
    value,
    jobs,
    best_at,
  ])
  yield Buffer.from(`${[head, ...lines].map((cells) => cells.join(',')).join('\r\n')}\r\n`)
}
