/** Tar archives (POSIX.1-2001, pax) as streams: only the current part is in memory. */

const block = 512

/** A file for the archive. */
export interface TarEntry {
  /** Relative, with slashes. */
  path: string
  bytes: number
  modified: Date
  open(): Promise<AsyncIterable<Uint8Array>>
}

/** Streams an archive. @throws if a file does not have its declared size, because the archive is then invalid. */
export async function* tarOf(entries: Iterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for (const entry of entries) {
    const seconds = Math.floor(entry.modified.getTime() / 1000)
    const records = Buffer.from(paxRecord('path', entry.path) + paxRecord('size', String(entry.bytes)))
    yield Buffer.concat([header('pax', 'x', records.length, seconds), records, padding(records.length)])
    // The pax records take precedence; programs without pax support see this short name.
    yield header('file', '0', entry.bytes < 8 ** 11 ? entry.bytes : 0, seconds)
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

function header(name: string, type: '0' | 'x', bytes: number, modified: number): Buffer {
  const head = Buffer.alloc(block)
  const octal = (value: number, at: number, length: number) =>
    head.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1')
  head.write(name, 0, 'latin1')
  octal(0o644, 100, 8)
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
