/** Tar archives (POSIX.1-2001, pax) as streams: only the current part is in memory. */

const block = 512

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

/** Streams an archive. @throws if a file does not have its declared size, because the archive is then invalid. */
export async function* tarOf(entries: Iterable<TarEntry | TarLink>): AsyncGenerator<Uint8Array> {
  for (const entry of entries) {
    const modified = Math.floor(entry.modified.getTime() / 1000)
    // The pax records take precedence; programs without pax support see the short name in the header.
    if ('target' in entry) {
      yield paxHeader({ path: entry.path, linkpath: entry.target }, modified)
      yield header({ name: 'link', type: '2', mode: 0o777, bytes: 0, modified })
      continue
    }
    yield paxHeader({ path: entry.path, size: String(entry.bytes) }, modified)
    const bytes = entry.bytes < 8 ** 11 ? entry.bytes : 0
    yield header({ name: 'file', type: '0', mode: entry.executable ? 0o755 : 0o644, bytes, modified })
    let sent = 0
    for await (const part of await entry.open()) {
      sent += part.length
      yield part
    }
    if (sent !== entry.bytes)
      throw new Error(`${entry.path} has ${sent} bytes in the store, but ${entry.bytes} in the database.`)
    yield padding(entry.bytes)
  }
  yield Buffer.alloc(2 * block)
}

/** A header with the properties of the next entry. */
function paxHeader(properties: Record<string, string>, modified: number): Buffer {
  const records = Object.entries(properties).map(([key, value]) => paxRecord(key, value))
  const content = Buffer.from(records.join(''))
  const head = header({ name: 'pax', type: 'x', mode: 0o644, bytes: content.length, modified })
  return Buffer.concat([head, content, padding(content.length)])
}

/** `LENGTH KEY=VALUE\n`. The length includes its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  const bytes = Buffer.byteLength(rest)
  let length = bytes + 1
  while (String(length).length + bytes !== length) length = String(length).length + bytes
  return `${length}${rest}`
}

function padding(bytes: number): Buffer {
  return Buffer.alloc((block - (bytes % block)) % block)
}

interface Header {
  name: string
  /** A file, a symbolic link, or the properties of the next entry. */
  type: '0' | '2' | 'x'
  mode: number
  bytes: number
  /** Seconds since 1970. */
  modified: number
}

function header({ name, type, mode, bytes, modified }: Header): Buffer {
  const head = Buffer.alloc(block)
  const octal = (value: number, at: number, length: number) =>
    head.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1')
  head.write(name, 0, 'latin1')
  octal(mode, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(bytes, 124, 12)
  octal(modified, 136, 12)
  head.fill(' ', 148, 156)
  head.write(type, 156, 'latin1')
  head.write('ustar\x0000', 257, 'latin1')
  const sum = head.reduce((total, byte) => total + byte, 0)
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return head
}
