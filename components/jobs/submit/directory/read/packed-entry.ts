/** An entry of an archive before its path is checked. */
export interface PackedEntry {
  name: string
  kind: 'file' | 'link' | 'copy' | 'directory' | 'special'
  executable: boolean
  bytes: number
  /** The content of a file. */
  read: () => Promise<Blob>
  /** Where a link leads, or the name of the file that a copy copies. */
  target: () => Promise<string>
}
