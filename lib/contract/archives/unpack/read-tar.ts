import { ByteReader } from '../byte-reader'
import { ArchiveProblem, EntryProblem, type PackedEntry } from './packed-entry'
import { decodeName, parsePaxRecords, parseTarHeader, type TarHeader, tarBlockBytes } from './tar-header'
import {
  fillHoles,
  readContentMap,
  readGnuParts,
  readGnuSize,
  readPaxMap,
  requirePossible,
  type SparseMap,
} from './tar-sparse'

/** Headers are kept in memory, and nobody counts what comes after the last entry. */
const maxHeaderBytes = 4 * 1024 * 1024

/** Headers that belong to the next entry, or describe the archive. */
const extraTypes = 'xXgLKV'
const directoryList = 'D'
const refusedTypes: Record<string, string> = {
  3: 'is a device',
  4: 'is a device',
  6: 'is a FIFO',
  M: 'is continued from another archive: create one archive without parts',
}

/**
 * Reads the entries of a tar file in their order, with GNU's and POSIX's extended headers and sparse files.
 * @throws ArchiveProblem, EntryProblem
 */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<PackedEntry> {
  const reader = new ByteReader(source, (cause) => cause ?? incomplete())
  try {
    yield* new TarReader(reader).entries()
  } finally {
    await reader.close()
  }
}

function incomplete(): ArchiveProblem {
  return new ArchiveProblem('is incomplete: its end is missing. Send it again')
}

type Records = [key: string, value: string][]

class TarReader {
  readonly #reader: ByteReader
  /** The rest of the current entry's stored content, and the zeros behind it. */
  #left = 0
  #padding = 0
  /** The size of the headers since the last entry, and of those for all entries. */
  #headerBytes = 0
  #commonBytes = 0
  /** Records for all entries that follow, and for the next entry. */
  #common: Records = []
  #own: Records = []

  constructor(reader: ByteReader) {
    this.#reader = reader
  }

  async *entries(): AsyncGenerator<PackedEntry> {
    let empty = 0
    for (;;) {
      const block = await this.#reader.block(tarBlockBytes)
      if (block === null) break
      if (block.every((byte) => byte === 0)) {
        empty += tarBlockBytes
        this.#requireFew(empty)
        continue
      }
      empty = 0
      const header = parseTarHeader(block)
      this.#expect(header.bytes)
      if (extraTypes.includes(header.type)) await this.#addExtra(header)
      else {
        yield await this.#toEntry(header)
        this.#own = []
        this.#headerBytes = 0
      }
      await this.#skipContent()
    }
    // Without blocks of zeros, the file may have been cut between two entries.
    if (empty === 0) throw incomplete()
  }

  #expect(bytes: number): void {
    this.#left = bytes
    this.#padding = -bytes & (tarBlockBytes - 1)
    // The operator has 32 bits.
    if (bytes > 0x7fff_ffff) this.#padding = (tarBlockBytes - (bytes % tarBlockBytes)) % tarBlockBytes
  }

  /** Takes stored content of the current entry. */
  async *#take(bytes: number): AsyncGenerator<Uint8Array> {
    for await (const piece of this.#reader.content(bytes)) {
      this.#left -= piece.length
      yield piece
    }
  }

  async #takeWhole(bytes: number): Promise<Uint8Array> {
    const whole = await this.#reader.block(bytes)
    if (whole === null) throw incomplete()
    return whole
  }

  async #skipContent(): Promise<void> {
    // The loop only reads on.
    for await (const _ of this.#reader.content(this.#left + this.#padding));
    this.#left = 0
  }

  #requireFew(bytes: number): void {
    if (bytes <= maxHeaderBytes) return
    throw new ArchiveProblem('has more than 4 MiB of headers or padding in a row. Create it again')
  }

  async #addExtra({ type, bytes }: TarHeader): Promise<void> {
    this.#headerBytes += bytes + tarBlockBytes
    if (type === 'g') this.#commonBytes += bytes
    this.#requireFew(Math.max(this.#headerBytes, this.#commonBytes))
    // The name of the whole archive.
    if (type === 'V') return
    const content = bytes === 0 ? new Uint8Array(0) : await this.#takeWhole(bytes)
    this.#left = 0
    if (type === 'L') this.#own.push(['path', textOf(content)])
    else if (type === 'K') this.#own.push(['linkpath', textOf(content)])
    else if (type === 'g') this.#common.push(...parsePaxRecords(content))
    else this.#own.push(...parsePaxRecords(content))
  }

  /** The last record with this key; undefined if it is missing or empty. */
  #record(key: string): string | undefined {
    const found = [...this.#common, ...this.#own].findLast(([name]) => name === key)
    return found?.[1] || undefined
  }

  async #toEntry(header: TarHeader): Promise<PackedEntry> {
    const name = this.#record('GNU.sparse.name') ?? this.#record('path') ?? header.name
    const size = this.#record('size')
    if (size !== undefined) {
      if (!/^\d+$/.test(size) || !Number.isSafeInteger(Number(size)))
        throw new EntryProblem(name, 'has a size that is no number: create the archive again')
      this.#expect(Number(size))
    }
    const common = { name, executable: header.executable, bytes: 0, content: noContent, target: null }
    switch (name.endsWith('/') && '07'.includes(header.type) ? '5' : header.type) {
      case '0':
      case '7':
      case 'S':
        return { ...common, kind: 'file', problem: null, ...(await this.#fileContent(name, header)) }
      case '1':
      case '2': {
        // What a size means here differs between programs. None of them writes a content.
        this.#expect(0)
        const target = this.#record('linkpath') ?? header.linkname
        return { ...common, kind: header.type === '1' ? 'copy' : 'link', problem: null, target }
      }
      case '5':
        this.#expect(0)
        return { ...common, kind: 'directory', problem: null }
      case directoryList:
        this.#requireFew(header.bytes)
        return { ...common, kind: 'directory', problem: null }
      default:
        return {
          ...common,
          kind: 'file',
          problem: refusedTypes[header.type] ?? 'is no file, directory or link',
        }
    }
  }

  async #fileContent(name: string, header: TarHeader): Promise<Pick<PackedEntry, 'bytes' | 'content'>> {
    const map = await this.#sparseMap(header)
    if (map === null) {
      const bytes = this.#left
      return { bytes, content: () => this.#take(bytes) }
    }
    requirePossible(name, map, this.#left)
    return { bytes: map.size, content: () => fillHoles(map, (bytes) => this.#take(bytes)) }
  }

  /** Null: the file is stored as a whole. */
  async #sparseMap({ type, block }: TarHeader): Promise<SparseMap | null> {
    if (type === 'S') {
      const map: SparseMap = { parts: [], size: readGnuSize(block) }
      // These blocks are headers: they do not count as content.
      for (let more = readGnuParts(map, block, true); more; )
        more = readGnuParts(map, await this.#takeWhole(tarBlockBytes), false)
      return map
    }
    const size = Number(this.#record('GNU.sparse.realsize') ?? this.#record('GNU.sparse.size') ?? Number.NaN)
    if (this.#record('GNU.sparse.major') === '1') return readContentMap(() => this.#takeBlock(), size)
    return Number.isNaN(size) ? null : readPaxMap(this.#own, size)
  }

  async #takeBlock(): Promise<Uint8Array> {
    if (this.#left < tarBlockBytes) throw incomplete()
    this.#left -= tarBlockBytes
    return this.#takeWhole(tarBlockBytes)
  }
}

function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0)
  return decodeName(end === -1 ? bytes : bytes.subarray(0, end))
}

async function* noContent(): AsyncGenerator<Uint8Array> {
  // A directory or link has none.
}
