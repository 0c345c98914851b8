/** Records with which a page opens, as JSONL. */
export interface FirstOutput {
  records: readonly string[]
  /** They are the last records, not the first ones. */
  isTail: boolean
}

export const noOutput: FirstOutput = { records: [], isTail: false }
