import { pathOfEntryName, refuseLink, refusePath } from '@/lib/contract/archives/archive-paths'
import { invalidRequest, payloadTooLarge } from '@/lib/contract/errors'
import { formatBytes } from '@/lib/contract/format-bytes'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { isLocalLink, type LocalEntry } from '../directory'
import type { PackedEntry } from './packed-entry'

/** macOS adds a directory with this name to zip files. It has no files of the user. */
const macMetadata = '__MACOSX/'

/**
 * Unpacks a zip or tar file. Tar files may be compressed with gzip. `maxBytes` limits the files together.
 * @throws GpuqError that names the entry which cannot be in a directory; 413 above the limit.
 */
export async function unpackArchive(archive: Blob, maxBytes: number): Promise<LocalEntry[]> {
  const collector = new Collector(maxBytes)
  try {
    for await (const entry of await openArchive(archive)) await collector.add(entry)
  } catch (error) {
    throw collector.refusal ?? describeDamage(error)
  }
  return [...collector.entries.values()]
}

/** Names may be wrong, so the first bytes decide. */
async function openArchive(archive: Blob): Promise<AsyncIterable<PackedEntry>> {
  const head = new Uint8Array(await archive.slice(0, 512).arrayBuffer())
  const text = String.fromCharCode(...head)
  if (text.startsWith('PK')) return (await import('./read-zip')).readZip(archive)
  const { readTar } = await import('./read-tar')
  if (head[0] === 0x1f && head[1] === 0x8b) {
    return readTar(archive.stream().pipeThrough(new DecompressionStream('gzip')))
  }
  if (text.slice(257, 262) === 'ustar') return readTar(archive.stream())
  throw invalidRequest('The file is no zip and no tar file. Choose a .zip, .tar, .tar.gz or .tgz.')
}

/** Checks and collects the entries of an archive. */
class Collector {
  readonly entries = new Map<string, LocalEntry>()
  /** An error that is not damage of the archive. */
  refusal: Error | undefined
  #bytes = 0

  constructor(readonly maxBytes: number) {}

  async add(packed: PackedEntry): Promise<void> {
    const path = packed.name.startsWith(macMetadata) ? null : pathOfEntryName(packed.name)
    if (path === null) return
    const why = refusePath(path) ?? (packed.kind === 'special' ? 'is no file, directory or link' : null)
    if (why !== null) this.#refuse(packed.name, why)
    if (packed.kind === 'directory') return
    if (this.entries.has(path)) this.#refuse(packed.name, 'appears twice')
    this.entries.set(path, await this.#toEntry(path, packed))
  }

  async #toEntry(path: string, packed: PackedEntry): Promise<LocalEntry> {
    if (packed.kind === 'link') {
      const target = await packed.target()
      const why = refuseLink(path, target)
      if (why !== null) this.#refuse(packed.name, `is a link that ${why}`)
      return { path, target }
    }
    if (packed.kind === 'copy') {
      const of = this.entries.get(pathOfEntryName(await packed.target()) ?? '')
      if (!of || isLocalLink(of))
        return this.#refuse(packed.name, 'is a hard link to a file that is not in the archive')
      this.#count(of.content.size)
      return { ...of, path }
    }
    // The size in the archive may be wrong, so the content is counted again.
    this.#count(packed.bytes)
    const content = await packed.read()
    this.#count(content.size - packed.bytes)
    return { path, content, ...(packed.executable && { executable: true }) }
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= this.maxBytes) return
    this.refusal = payloadTooLarge(
      `The files of the archive have more than ${formatBytes(this.maxBytes)}, which is the limit.`,
    )
    throw this.refusal
  }

  #refuse(name: string, why: string): never {
    this.refusal = invalidRequest(`The archive cannot be used: the entry "${visibleText(name, 200)}" ${why}.`)
    throw this.refusal
  }
}

function describeDamage(error: unknown): Error {
  const detail = error instanceof Error && error.message !== '' ? `: ${visibleText(error.message, 200)}` : ''
  return invalidRequest(`The archive is damaged, incomplete or encrypted${detail}. Create it again.`, {
    cause: error,
  })
}
