import { crc32 } from 'node:zlib'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { ArchiveProblem, type PackedEntry } from '../../contract/archives/unpack/packed-entry'
import { describeZipEntry } from '../../contract/archives/unpack/zip-entry'
import { describeDamage } from './refuse-entry'

/** Reads the entries of a zip file in their order. Reads a content only if it is asked for. @throws 422 */
export async function* readZip(descriptor: number): AsyncGenerator<PackedEntry> {
  const zip = await openZip(descriptor)
  let name: string | null = null
  try {
    for await (const entry of zip.eachEntry()) {
      const packed = toPacked(zip, entry)
      name = packed.name
      yield packed
    }
  } catch (error) {
    throw describeDamage(error, name)
  }
}

/** Never closed, because that would close the descriptor. The names are decoded and checked here, as in every reader of archives. */
async function openZip(descriptor: number): Promise<ZipFile> {
  try {
    return await yauzl.fromFdPromise(descriptor, {
      lazyEntries: true,
      autoClose: false,
      decodeStrings: false,
    })
  } catch (error) {
    throw describeDamage(error, null)
  }
}

function toPacked(zip: ZipFile, entry: Entry): PackedEntry {
  const described = describeZipEntry({
    rawName: entry.fileNameRaw,
    flags: entry.generalPurposeBitFlag,
    method: entry.compressionMethod,
    madeBy: entry.versionMadeBy,
    attributes: entry.externalFileAttributes,
    extraFields: entry.extraFields,
  })
  const content = () => readContent(zip, entry, described.name)
  return { ...described, bytes: entry.uncompressedSize, content, target: null }
}

/** The library checks the size of a content; the checksum is checked here. */
async function* readContent(zip: ZipFile, entry: Entry, name: string): AsyncGenerator<Uint8Array> {
  let sum = 0
  try {
    for await (const piece of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      sum = crc32(piece, sum)
      yield piece
    }
  } catch (error) {
    throw describeDamage(error, name)
  }
  if (sum !== entry.crc32)
    throw new ArchiveProblem(`is damaged: the checksum of "${name}" is wrong. Send it again`)
}
