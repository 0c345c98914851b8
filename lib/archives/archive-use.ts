import { retentionCutoffOf } from '../access/retention'

/** SQL condition: a job or a group that has not ended needs the archive `a`. */
export const neededByLiveJob = `(EXISTS (SELECT 1 FROM jobs j WHERE j.archive_id = a.id AND j.ended_at IS NULL)
  OR EXISTS (SELECT 1 FROM job_groups g WHERE g.archive_id = a.id AND g.ended_at IS NULL))`

/** SQL condition: the archive `a` has a name. */
export const hasSnapshot = 'EXISTS (SELECT 1 FROM snapshots s WHERE s.archive_id = a.id)'

/**
 * SQL condition: one of these users has the archive `a`, or may read it through a snapshot of its project. What another
 * member uploaded is not known to them, so a request for it is answered as if it did not exist.
 * @param users SQL for an array of ids of members of the project
 */
export const heldBy = (users: string) => `(${hasSnapshot} OR EXISTS (
  SELECT 1 FROM archive_holders h WHERE h.archive_id = a.id AND h.user_id = ANY (${users}::uuid[])))`

/** SQL condition: a group of a user needs the archive `a` for members that it still holds. */
const neededByGroup = (user = 'g.user_id') =>
  `EXISTS (SELECT 1 FROM job_groups g WHERE g.archive_id = a.id AND g.user_id = ${user} AND g.ended_at IS NULL)`

/** SQL condition: a job of a user needs the archive `a`, or ended within the retention of its project, or a group needs it. */
export const neededBy = (user: string) => `(EXISTS (
  SELECT 1 FROM jobs j JOIN projects p ON p.id = j.project_id
   WHERE j.archive_id = a.id AND j.user_id = ${user} AND ${recent()}) OR ${neededByGroup(user)})`

const recent = () => `(j.ended_at IS NULL OR j.ended_at > coalesce(${retentionCutoffOf('p')}, '-infinity'))`

/**
 * SQL condition: the archive `a` is kept, because it has a name, a live job or a group needs it, or a job that ended
 * within the retention of its project.
 */
export const archiveNeeded = () => `(${hasSnapshot} OR EXISTS (
  SELECT 1 FROM jobs j JOIN projects p ON p.id = j.project_id
   WHERE j.archive_id = a.id AND ${recent()}) OR ${neededByGroup()})`
