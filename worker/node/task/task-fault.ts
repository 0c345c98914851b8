import type { EndReason } from '@/lib/contract/reasons'

/** A task cannot start. The message is the detail of its reason. */
export class TaskFault extends Error {
  /**
   * @param reason `out_of_memory`: its uploaded directory is too large, which the user can correct.
   * `workspace_unavailable`: its project's shared directory, or a directory of its script, cannot be used on this node.
   * `snapshot_unavailable`: a snapshot that it mounts cannot be unpacked on this node. `peers_missing`: other tasks of
   * the attempt were not ready in time.
   */
  constructor(
    readonly reason: Extract<
      EndReason,
      'out_of_memory' | 'workspace_unavailable' | 'snapshot_unavailable' | 'peers_missing'
    >,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options)
    this.name = 'TaskFault'
  }
}
