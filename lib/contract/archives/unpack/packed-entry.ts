/** An entry of an archive as it is packed, before its path is checked. */
export interface PackedEntry {
  name: string
  /** A copy is a hard link: it has the content of an earlier entry. */
  kind: 'file' | 'link' | 'copy' | 'directory'
  /** Why the entry cannot be in a directory, such as `is a device`; null if it can. */
  problem: string | null
  executable: boolean
  /** The size that the archive names. */
  bytes: number
  /** The content of a file or the target of a link in a zip file. In a tar file, read it before the next entry. */
  content: () => AsyncIterable<Uint8Array>
  /** Where a link leads, or which file a copy copies. Null: the content says it. */
  target: string | null
}

/** An entry with a checked path. */
export type UnpackedEntry =
  | {
      kind: 'file'
      path: string
      executable: boolean
      bytes: number
      content: () => AsyncIterable<Uint8Array>
    }
  | { kind: 'link'; path: string; target: string }
  | { kind: 'copy'; path: string; of: string }
  | { kind: 'directory'; path: string }

/** An entry that cannot be in a directory. */
export class EntryProblem extends Error {
  constructor(
    /** The entry's name in the archive. */
    readonly entry: string,
    /** A sentence without its subject, such as `is a device`. */
    readonly why: string,
  ) {
    super(`The entry "${entry}" ${why}.`)
  }
}

/** An archive that cannot be read. `why` is a sentence without its subject, such as `is incomplete`. */
export class ArchiveProblem extends Error {
  constructor(readonly why: string) {
    super(`The archive ${why}.`)
  }
}
