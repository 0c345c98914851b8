import { retentionCutoffOf } from '../access/retention'

/** SQL condition: a job that has not ended needs the archive `a`. */
export const neededByLiveJob =
  'EXISTS (SELECT 1 FROM jobs j WHERE j.archive_id = a.id AND j.ended_at IS NULL)'

/** SQL condition: the archive `a` has a name. */
export const hasSnapshot = 'EXISTS (SELECT 1 FROM snapshots s WHERE s.archive_id = a.id)'

/**
 * SQL condition: the archive `a` is kept, because it has a name, a live job needs it, or a job that ended within the
 * retention of its project.
 */
export const archiveNeeded = () => `(${hasSnapshot} OR EXISTS (
  SELECT 1 FROM jobs j JOIN projects p ON p.id = j.project_id
   WHERE j.archive_id = a.id AND (j.ended_at IS NULL OR j.ended_at > coalesce(${retentionCutoffOf('p')}, '-infinity'))))`
