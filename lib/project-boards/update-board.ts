import type { Actor } from '../access/actor'
import { recordAudit } from '../access/audit'
import { findVisible, requireOwnProject } from '../access/projects/projects'
import { conflict } from '../contract/errors'
import { database } from '../database/client'
import { findRow, isUniqueViolation, transaction } from '../database/transaction'
import type { ProjectBoard, UpdateOwnRow, UpdateProjectBoard } from './contract'
import { boardMembers, readProjectBoard } from './read-board'

/** Chooses the metric of the board of a project, or removes the board. @throws 403 unless the actor owns the project or is an admin. */
export async function updateProjectBoard(
  actor: Actor,
  projectId: string,
  body: () => Promise<UpdateProjectBoard>,
): Promise<ProjectBoard> {
  await requireOwnProject(database().pool, actor, projectId)
  const { metric, goal, competition_id } = await body()
  await transaction(async (tx) => {
    const { id, slug } = await requireOwnProject(tx, actor, projectId)
    if (metric === null) await tx.query('DELETE FROM project_boards WHERE project_id = $1', [id])
    else
      await tx.query(
        `INSERT INTO project_boards (project_id, metric, goal, competition_id) VALUES ($1, $2, $3, $4)
         ON CONFLICT (project_id) DO UPDATE SET metric = excluded.metric, goal = excluded.goal, competition_id = excluded.competition_id`,
        [id, metric, goal, competition_id],
      )
    const detail = { project_id: id, metric, goal, competition_id }
    await recordAudit(tx, { actorId: actor.userId, action: 'project_board_updated', target: slug, detail })
  })
  return readProjectBoard(actor, projectId)
}

const nameTaken = (name: string) =>
  conflict(`Another member of the project has the name "${name}", or this user id. Choose another name.`)

/** Chooses what the board of a project shows of the actor. @throws 409 for the name or the user id of another member. */
export async function updateOwnRow(
  actor: Actor,
  projectId: string,
  body: () => Promise<UpdateOwnRow>,
): Promise<ProjectBoard> {
  await findVisible(database().pool, actor, projectId)
  const { name, hidden } = await body()
  await transaction(async (tx) => {
    const { id, slug } = await findVisible(tx, actor, projectId)
    const taken = await findRow<{ handle: string }>(
      tx,
      `SELECT u.handle FROM users u JOIN (${boardMembers}) m ON m.user_id = u.id WHERE lower(u.handle) = lower($2) AND u.id <> $3`,
      [id, name, actor.userId],
    )
    if (taken) throw nameTaken(name ?? '')
    await tx
      .query(
        `INSERT INTO project_board_names (project_id, user_id, name, hidden) VALUES ($1, $2, $3, $4)
         ON CONFLICT (project_id, user_id) DO UPDATE SET name = excluded.name, hidden = excluded.hidden`,
        [id, actor.userId, name, hidden],
      )
      .catch((error: unknown) => {
        throw isUniqueViolation(error, 'project_board_names_name') ? nameTaken(name ?? '') : error
      })
    const detail = { project_id: id, name, hidden }
    await recordAudit(tx, { actorId: actor.userId, action: 'board_name_updated', target: slug, detail })
  })
  return readProjectBoard(actor, projectId)
}
