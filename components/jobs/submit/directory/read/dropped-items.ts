/** A file or a folder that the user dropped or chose. */
export type DroppedItem =
  | { kind: 'file'; file: File }
  | { kind: 'folder'; folder: FileSystemDirectoryEntry }
  | { kind: 'listed'; name: string; files: readonly File[] }

/** What a drop brings. Must be called in its event: the browser empties the transfer afterwards. */
export function readTransfer(transfer: DataTransfer): DroppedItem[] {
  const items = [...(transfer.items ?? [])].filter(({ kind }) => kind === 'file')
  // Items without an entry were not dragged from a disk.
  const dropped = items.flatMap((item): DroppedItem[] => {
    const entry = item.webkitGetAsEntry?.() ?? null
    if (entry !== null && isFolder(entry)) return [{ kind: 'folder', folder: entry }]
    const file = item.getAsFile()
    return file === null ? [] : [{ kind: 'file', file }]
  })
  return dropped.length > 0 ? dropped : toItems([...transfer.files])
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

/** Chosen files. Those of a chosen folder have their path in it. */
export function toItems(files: readonly File[]): DroppedItem[] {
  const [first] = files
  const name = first?.webkitRelativePath?.split('/')[0] ?? ''
  if (name !== '') return [{ kind: 'listed', name, files }]
  return files.map((file) => ({ kind: 'file', file }))
}
