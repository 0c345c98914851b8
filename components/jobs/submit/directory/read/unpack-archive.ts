import { archiveHeadBytes, detectArchive } from '@/lib/contract/archives/unpack/archive-format'
import { checkEntries } from '@/lib/contract/archives/unpack/check-entries'
import {
  ArchiveProblem,
  EntryProblem,
  type PackedEntry,
  type UnpackedEntry,
} from '@/lib/contract/archives/unpack/packed-entry'
import { type NamedFiles, placeEntries } from '@/lib/contract/archives/unpack/place-entries'
import { readTar } from '@/lib/contract/archives/unpack/read-tar'
import { GpuqError, invalidRequest, payloadTooLarge } from '@/lib/contract/errors'
import { formatBytes } from '@/lib/contract/format-bytes'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { isLocalLink, type LocalEntry } from '../directory'
import { gunzip } from './gunzip'
import { piecesOf, toBlob } from './streams'

export interface ArchiveToUnpack {
  archive: File
  /** The limit for all files together, unpacked. */
  maxBytes: number
  /** What the config names of the archive; null: the archive comes with a program and stays as it is packed. */
  named: NamedFiles | null
}

export interface UnpackedArchive {
  entries: LocalEntry[]
  /** The paths of directories without content, which are not uploaded. */
  emptyDirectories: string[]
}

/**
 * Unpacks a zip or tar file. Tar files may be compressed with gzip.
 * @throws GpuqError that names the entry which cannot be in a directory; 413 above the limit.
 */
export async function unpackArchive({ archive, maxBytes, named }: ArchiveToUnpack): Promise<UnpackedArchive> {
  const collector = new Collector(maxBytes)
  try {
    for await (const entry of checkEntries(await openArchive(archive))) await collector.add(entry)
  } catch (error) {
    throw describeProblem(error)
  }
  const { entries, directories } = collector
  const packed = { paths: [...entries.keys()], directories }
  const placed = placeEntries(packed, named === null ? null : archive.name, named ?? {})
  const unpacked = [...placed.places].flatMap(([path, place]) => {
    const entry = entries.get(path)
    return entry === undefined ? [] : [{ ...entry, path: place }]
  })
  return { entries: unpacked, emptyDirectories: placed.emptyDirectories }
}

async function openArchive(archive: Blob): Promise<AsyncIterable<PackedEntry>> {
  const detected = detectArchive(new Uint8Array(await archive.slice(0, archiveHeadBytes).arrayBuffer()))
  if ('why' in detected) throw new ArchiveProblem(detected.why)
  if (detected.format === 'zip') return (await import('./read-zip')).readZip(archive)
  if (detected.format === 'tar') return readTar(piecesOf(archive.stream()))
  return readTar(gunzip(archive))
}

/** Collects the entries of an archive by their paths. */
class Collector {
  readonly entries = new Map<string, LocalEntry>()
  readonly directories: string[] = []
  #bytes = 0

  constructor(readonly maxBytes: number) {}

  async add(entry: UnpackedEntry): Promise<void> {
    const { kind, path } = entry
    if (kind === 'directory') this.directories.push(path)
    else if (kind === 'link') this.entries.set(path, { path, target: entry.target })
    else if (kind === 'copy') this.entries.set(path, this.#copy(path, entry.of))
    else {
      const content = await toBlob(this.#counted(entry.content()))
      this.entries.set(path, { path, content, ...(entry.executable && { executable: true }) })
    }
  }

  #copy(path: string, of: string): LocalEntry {
    const original = this.entries.get(of)
    if (original === undefined || isLocalLink(original))
      throw new EntryProblem(path, `is a hard link to "${of}", which is no earlier file of the archive`)
    this.#count(original.content.size)
    return { ...original, path }
  }

  /** The size that the archive names may be wrong. */
  async *#counted(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of content) {
      this.#count(piece.length)
      yield piece
    }
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= this.maxBytes) return
    throw payloadTooLarge(
      `The files of the archive have more than ${formatBytes(this.maxBytes)}, which is the limit.`,
    )
  }
}

function describeProblem(error: unknown): Error {
  if (error instanceof GpuqError) return error
  if (error instanceof ArchiveProblem) return invalidRequest(`The archive ${visibleText(error.why, 500)}.`)
  if (error instanceof EntryProblem) {
    const entry = `"${visibleText(error.entry, 200)}"`
    return invalidRequest(`The archive cannot be used: the entry ${entry} ${visibleText(error.why, 500)}.`)
  }
  const detail = error instanceof Error && error.message !== '' ? `: ${visibleText(error.message, 200)}` : ''
  return invalidRequest(`The archive is damaged or incomplete${detail}. Create it again.`, { cause: error })
}
