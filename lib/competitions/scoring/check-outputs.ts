import { formatBytes } from '../../contract/format-bytes'
import type { ScorerConfig } from '../contract-config'

const MiB = 1024 * 1024

/** A file of the last attempt of an entry. */
export interface StoredOutput {
  id: string
  path: string
  bytes: number
  sha256: string
}

/** The files that a scoring program reads, or what is wrong with them as a sentence for the staff. */
export type CheckedOutputs = { outputs: StoredOutput[] } | { problem: string }

/**
 * Checks the declared outputs of an entry among the files that were stored of it. Only plain files are stored: a link, a directory or a pipe
 * at the path of an output counts as missing.
 */
export function checkOutputs(
  declared: ScorerConfig['outputs'],
  stored: readonly StoredOutput[],
): CheckedOutputs {
  const outputs: StoredOutput[] = []
  for (const { path, max_mb } of declared) {
    const found = stored.find((one) => one.path === path)
    if (!found) return { problem: `The program left no plain file /results/${path}.` }
    if (found.bytes > max_mb * MiB)
      return {
        problem: `/results/${path} has ${formatBytes(found.bytes)}, and at most ${max_mb} MiB are accepted.`,
      }
    outputs.push(found)
  }
  return { outputs }
}
