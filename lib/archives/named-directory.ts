import type { Transaction } from '../database/transaction'

/** An uploaded directory under a name, in one version. */
export interface NamedDirectory {
  snapshotId: string
  name: string
  version: number
  archiveId: string
  /** The archive's hash, in hexadecimal. */
  hash: string
  files: number
  bytes: number
}

/**
 * Finds the directory that a name in a config means for a project. Neither the name nor the directory can be deleted before the
 * transaction ends. If there is none, the problem says which names the user may have meant.
 */
export type FindNamedDirectory = (
  tx: Transaction,
  project: { id: string; slug: string },
  reference: string,
) => Promise<NamedDirectory | { problem: string }>
