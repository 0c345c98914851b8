import { createTarDecoder, type TarHeader } from 'modern-tar'
import type { PackedEntry } from './packed-entry'

const kinds: Partial<Record<NonNullable<TarHeader['type']>, PackedEntry['kind']>> = {
  file: 'file',
  directory: 'directory',
  symlink: 'link',
  link: 'copy',
}

/** Reads the entries of a tar file in their order. The content of an entry can be read until the next one. */
export async function* readTar(source: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<PackedEntry> {
  const reader = source.pipeThrough(createTarDecoder({ strict: true })).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const { header, body } = value
    let used = false
    yield {
      name: header.name,
      kind: kinds[header.type ?? 'file'] ?? 'special',
      executable: ((header.mode ?? 0) & 0o100) !== 0,
      bytes: header.type === 'file' || header.type === undefined ? header.size : 0,
      read: () => {
        used = true
        return new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>).blob()
      },
      target: async () => header.linkname ?? '',
    }
    // The next entry comes after the content of this one.
    if (!used) await body.cancel()
  }
}
