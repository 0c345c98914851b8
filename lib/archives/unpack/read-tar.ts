import { on } from 'node:events'
import { Readable } from 'node:stream'
import tar, { type Extract, type Headers } from 'tar-stream'
import { checkedLink, entryPath, type IncomingEntry } from './incoming-entry'
import { describeDamage, refuseArchive, refuseEntry } from './refuse-entry'

/** The library sets these for every entry that it reads. */
type Header = Headers & { size: number; mode: number }
type Arrived = [Header, Readable, () => void]

const blockBytes = 512
/** The library keeps long names in memory. This limits them, and what follows the last entry. */
const maxHeaderBytes = 4 * 1024 * 1024
const headerBytesPerEntry = 4 * 1024

const refusedTypes: Record<string, string> = {
  'character-device': 'is a device',
  'block-device': 'is a device',
  fifo: 'is a FIFO',
}

/** Reads the entries of a tar file in their order. The next entry is read when a content is not read any more. @throws 422 */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<IncomingEntry> {
  const extract = tar.extract()
  const guard = new TarGuard()
  const stop = new AbortController()
  // After the last entry nobody else listens.
  extract.on('error', () => {})
  const entries = on(extract, 'entry', { close: ['finish'], signal: stop.signal })
  const fed = feed(extract, guard.pass(source), stop.signal)
  let name: string | null = null
  try {
    for await (const arrived of entries) {
      const [header, stream, next] = arrived as Arrived
      name = header.name
      guard.allow(header.size)
      const entry = toEntry(header, () => readContent(stream, header.name, guard))
      if (entry !== null) yield entry
      stream.resume()
      next()
    }
    guard.requireEnd()
  } catch (error) {
    throw guard.failure ?? describeDamage(error, name)
  } finally {
    stop.abort()
    await fed
  }
}

/** Never rejects: an error of the source becomes one of `extract`. */
async function feed(extract: Extract, source: AsyncIterable<Uint8Array>, stop: AbortSignal): Promise<void> {
  const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve()))
  try {
    for await (const piece of source) {
      // The callback waits until the content of the entry is read.
      const written = new Promise<void>((resolve) => extract.write(piece, () => resolve()))
      await Promise.race([written, stopped])
      if (stop.aborted) return
    }
    extract.end()
  } catch (error) {
    extract.destroy(error instanceof Error ? error : undefined)
  }
}

function toEntry(header: Header, content: () => AsyncIterable<Uint8Array>): IncomingEntry | null {
  const { name, type, mode, linkname } = header
  const path = entryPath('archive', name)
  if (path === null) return null
  switch (type) {
    case 'directory':
      return { kind: 'directory', path }
    case 'file':
    case 'contiguous-file':
      return { kind: 'file', path, executable: (mode & 0o100) !== 0, content }
    case 'symlink':
      return checkedLink(path, linkname ?? '')
    case 'link':
      return { kind: 'copy', path, of: entryPath('archive', linkname ?? '') ?? '.' }
    default:
      throw refuseEntry('archive', name, refusedTypes[type ?? ''] ?? 'is no file, directory or link')
  }
}

async function* readContent(stream: Readable, name: string, guard: TarGuard): AsyncGenerator<Uint8Array> {
  try {
    // The iterator of the package's own streams never returns if it is left early.
    yield* new Readable().wrap(stream) as AsyncIterable<Buffer>
  } catch (error) {
    throw guard.failure ?? describeDamage(error, name)
  }
}

/** Passes a tar file on, limits what is no content, and notices whether its end is missing. */
class TarGuard {
  /** Why the file was not passed on to its end. */
  failure: unknown
  #fed = 0
  #allowed = maxHeaderBytes
  #last: Uint8Array = new Uint8Array(0)

  async *pass(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of source) {
        this.#fed += piece.length
        if (this.#fed > this.#allowed)
          throw refuseArchive('has more than 4 MiB of headers or padding in a row. Create it again')
        const tail = piece.length >= blockBytes ? piece : Buffer.concat([this.#last, piece])
        this.#last = Buffer.from(tail.subarray(-blockBytes))
        yield piece
      }
    } catch (error) {
      this.failure = describeDamage(error, null)
      throw error
    }
  }

  /** Allows the content of an entry, and its headers. */
  allow(bytes: number): void {
    this.#allowed += bytes + headerBytesPerEntry
  }

  /** A tar file ends with blocks of zeros. Without them it may have been cut between two entries. */
  requireEnd(): void {
    if (this.#last.length === blockBytes && this.#last.every((byte) => byte === 0)) return
    throw refuseArchive('is incomplete: its end is missing. Send it again')
  }
}
