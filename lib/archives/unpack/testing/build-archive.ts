import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import tar, { type Header } from 'tar-stream'

export interface ZipEntry {
  name: string
  content?: Buffer | string
  /** With the file type, as `stat` returns it; left out: written by a system without modes. */
  mode?: number
  /** The compression method in the header. */
  method?: number
  encrypted?: boolean
  /** The size in the headers, if it is a lie. */
  saidBytes?: number
  /** The name as it is stored, without the mark that it is UTF-8. */
  rawName?: Buffer
  /** The extra fields of the entry. */
  extra?: Buffer
  /** The attributes of a system without modes. */
  attributes?: number
  /** The checksum in the headers, if it is wrong. */
  saidCrc?: number
}

/** Builds a zip file without any check of the names, unlike zip programs. */
export function buildZip(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const { name, content = '', mode, method = 8, encrypted = false } = entry
    const bytes = Buffer.from(content)
    const packed = method === 8 ? deflateRawSync(bytes) : bytes
    const nameBytes = entry.rawName ?? Buffer.from(name)
    const { extra = Buffer.alloc(0) } = entry
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    // Bit 11: the name is UTF-8.
    common.writeUInt16LE((entry.rawName ? 0 : 0x800) | (encrypted ? 1 : 0), 2)
    common.writeUInt16LE(method, 4)
    common.writeUInt32LE(entry.saidCrc ?? crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(entry.saidBytes ?? bytes.length, 18)
    common.writeUInt16LE(nameBytes.length, 22)
    common.writeUInt16LE(extra.length, 24)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, nameBytes, extra, packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(mode === undefined ? (entry.attributes ?? 0) : (mode << 16) >>> 0, 6)
    rest.writeUInt32LE(offset, 10)
    const madeBy = Buffer.from([63, mode === undefined ? 0 : 3])
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), madeBy, common, rest, nameBytes, extra]))
    locals.push(local)
    offset += local.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  // 65,535 and more are in the ZIP64 record.
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 4)
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 6)
  end.writeUInt32LE(central.length, 8)
  end.writeUInt32LE(offset, 12)
  const zip64 = entries.length >= 0xffff ? zip64End(entries.length, central.length, offset) : Buffer.alloc(0)
  return Buffer.concat([...locals, central, zip64, Buffer.from('PK\x05\x06'), end])
}

function zip64End(count: number, directoryBytes: number, directoryAt: number): Buffer {
  const record = Buffer.alloc(56)
  record.write('PK\x06\x06', 0, 'latin1')
  record.writeBigUInt64LE(44n, 4)
  record.writeUInt16LE(45, 12)
  record.writeUInt16LE(45, 14)
  record.writeBigUInt64LE(BigInt(count), 24)
  record.writeBigUInt64LE(BigInt(count), 32)
  record.writeBigUInt64LE(BigInt(directoryBytes), 40)
  record.writeBigUInt64LE(BigInt(directoryAt), 48)
  const locator = Buffer.alloc(20)
  locator.write('PK\x06\x07', 0, 'latin1')
  locator.writeBigUInt64LE(BigInt(directoryAt + directoryBytes), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([record, locator])
}

export interface TarEntry {
  name: string
  content?: Buffer | string
  type?: Header['type']
  linkname?: string
  mode?: number
}

/** Builds a tar file, or a tar.gz file. */
export async function buildTar(entries: readonly TarEntry[], { gzip = false } = {}): Promise<Buffer> {
  const pack = tar.pack()
  const pieces: Buffer[] = []
  const read = (async () => {
    for await (const piece of pack as AsyncIterable<Buffer>) pieces.push(piece)
  })()
  for (const { name, content = '', ...header } of entries) {
    const bytes = Buffer.from(content)
    await new Promise<void>((resolve, reject) => {
      pack.entry({ name, size: bytes.length, ...header }, bytes, (error) =>
        error ? reject(error) : resolve(),
      )
    })
  }
  pack.finalize()
  await read
  const whole = Buffer.concat(pieces)
  return gzip ? gzipSync(whole) : whole
}
