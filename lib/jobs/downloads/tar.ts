import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import tar, { type Pack } from 'tar-stream'

/** A file for the archive. */
export interface TarEntry {
  /** Relative, with slashes. */
  path: string
  bytes: number
  modified: Date
  executable?: boolean
  open(): Promise<AsyncIterable<Uint8Array>>
}

/** A symbolic link for the archive. */
export interface TarLink {
  path: string
  target: string
  modified: Date
}

/**
 * Streams an archive: only the current part is in memory.
 * @throws if a file does not have its declared size, because the archive is then invalid.
 */
export async function* tarOf(
  entries: Iterable<TarEntry | TarLink> | AsyncIterable<TarEntry | TarLink>,
): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) {
    // One for each entry: links and empty files would collect in a common one if the client reads slowly.
    const pack = tar.pack()
    write(pack, entry).then(
      () => pack.push(null),
      (error: Error) => pack.destroy(error),
    )
    yield* pack as AsyncIterable<Buffer>
  }
  yield Buffer.alloc(1024)
}

async function write(pack: Pack, entry: TarEntry | TarLink): Promise<void> {
  const { path: name, modified: mtime } = entry
  if ('target' in entry) {
    const header = { name, mtime, type: 'symlink', linkname: entry.target, mode: 0o777 } as const
    return promisify((done: (error?: Error | null) => void) => pack.entry(header, done))()
  }
  const mode = entry.executable ? 0o755 : 0o644
  await pipeline(contentOf(entry), pack.entry({ name, mtime, type: 'file', mode, size: entry.bytes }))
}

async function* contentOf({ path, bytes, open }: TarEntry): AsyncGenerator<Uint8Array> {
  let sent = 0
  for await (const part of await open()) {
    sent += part.length
    yield part
  }
  if (sent !== bytes) throw new Error(`${path} has ${sent} bytes in the store, but ${bytes} in the database.`)
}
