/** SQL for whether a run has checkpoints. */
export const hasCheckpoints = (runId: string) =>
  `(EXISTS (SELECT FROM checkpoint_files c WHERE c.run_id = ${runId})
    OR EXISTS (SELECT FROM run_directories d WHERE d.run_id = ${runId} AND d.bytes > 0))`
