/** A named run. Its attempts, and later jobs of the same run, share one set of checkpoints. */
export interface Run {
  id: string
  projectId: string
  /** To whom its checkpoints count: the user to whom it belongs, or the owner of the project. */
  userId: string
  /** The name of its directory below that of the project. It differs from that of every other run, whatever their names. */
  directory: string
}

/** SQL for the {@link Run} with the alias `r` in the project `p`, as JSON; null if there is none. */
export const runColumn = (r: string, p: string) =>
  `CASE WHEN ${r}.id IS NOT NULL THEN jsonb_build_object('id', ${r}.id, 'projectId', ${r}.project_id,
     'userId', coalesce(${r}.user_id, ${p}.owner_id), 'directory', ${r}.directory) END`
