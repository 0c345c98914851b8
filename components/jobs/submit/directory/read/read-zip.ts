import { BlobReader, BlobWriter, configure, type FileEntry, TextWriter, ZipReader } from '@zip.js/zip.js'
import { maxPathBytes } from '@/lib/contract/archives/archive-paths'
import type { PackedEntry } from './packed-entry'

// This code runs in a web worker. The library's own workers come from blob addresses, which the page forbids.
configure({ useWebWorkers: false })

const fileTypes = { mask: 0o170_000, file: 0o100_000 }

/** Reads the entries of a zip file. Unpacks a content only if it is asked for. */
export async function* readZip(archive: Blob): AsyncGenerator<PackedEntry> {
  // The names are checked by the caller, so that the error names the entry.
  const options = { checkCrc32: true, filenameValidation: 'tolerant' } as const
  const zip = new ZipReader(new BlobReader(archive), options)
  for await (const entry of zip.getEntriesGenerator()) {
    const { filename, executable, uncompressedSize: bytes } = entry
    // Some programs for Windows write backslashes.
    const common = { name: filename.replaceAll('\\', '/'), executable, bytes }
    if (entry.directory) yield { ...common, kind: 'directory', ...noContent }
    else yield { ...common, kind: kindOf(entry), ...contentOf(entry) }
  }
  await zip.close()
}

function kindOf({ symlink, unixMode }: FileEntry): PackedEntry['kind'] {
  if (symlink) return 'link'
  const type = (unixMode ?? 0) & fileTypes.mask
  return type === 0 || type === fileTypes.file ? 'file' : 'special'
}

function contentOf(entry: FileEntry): Pick<PackedEntry, 'read' | 'target'> {
  return {
    read: () => entry.getData(new BlobWriter()),
    target: async () => {
      if (entry.uncompressedSize > maxPathBytes) throw new Error('the target of a link is too long')
      return entry.getData(new TextWriter())
    },
  }
}

const noContent: Pick<PackedEntry, 'read' | 'target'> = {
  read: async () => new Blob(),
  target: async () => '',
}
