import { crc32 } from 'node:zlib'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { maxPathBytes } from '../../contract/archives/archive-paths'
import { checkedLink, entryPath, type IncomingEntry } from './incoming-entry'
import { describeDamage, refuseArchive, refuseEntry } from './refuse-entry'

const [stored, deflated] = [0, 8]
/** Systems whose zip programs store the mode of a file: Unix and macOS. */
const unixHosts = [3, 19]
const fileTypes = { mask: 0o170_000, fifo: 0o010_000, directory: 0o040_000, file: 0o100_000, link: 0o120_000 }

/** Reads the entries of a zip file in their order. Reads a content only if it is asked for. @throws 422 */
export async function* readZip(descriptor: number): AsyncGenerator<IncomingEntry> {
  const zip = await openZip(descriptor)
  let name: string | null = null
  try {
    for await (const entry of zip.eachEntry()) {
      name = nameOf(entry)
      const read = await readEntry(zip, entry, name)
      if (read !== null) yield read
    }
  } catch (error) {
    throw describeDamage(error, name)
  }
}

/** Never closed, because that would close the descriptor. The names are checked here and not by the library, so that the error names the entry in gpuq's words. */
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

/** Some programs for Windows write backslashes, which are slashes here. */
function nameOf(entry: Entry): string {
  return yauzl.getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false)
}

async function readEntry(zip: ZipFile, entry: Entry, name: string): Promise<IncomingEntry | null> {
  const path = entryPath('archive', name)
  if (path === null) return null
  const isUnix = unixHosts.includes(entry.versionMadeBy >> 8)
  const mode = isUnix ? entry.externalFileAttributes >>> 16 : 0
  const type = mode & fileTypes.mask
  if (name.endsWith('/') || type === fileTypes.directory) return { kind: 'directory', path }
  if (type === fileTypes.fifo) throw refuseEntry('archive', name, 'is a FIFO')
  if (type !== 0 && type !== fileTypes.file && type !== fileTypes.link)
    throw refuseEntry('archive', name, 'is a device or a socket')
  requireReadable(entry, name)
  const content = () => readContent(zip, entry, name)
  if (type !== fileTypes.link) return { kind: 'file', path, executable: (mode & 0o100) !== 0, content }
  if (entry.uncompressedSize > maxPathBytes)
    throw refuseEntry('archive', name, 'is a link with a target that is too long')
  const pieces: Uint8Array[] = []
  for await (const piece of content()) pieces.push(piece)
  return checkedLink(path, Buffer.concat(pieces).toString('utf8'))
}

function requireReadable(entry: Entry, name: string): void {
  if (entry.isEncrypted())
    throw refuseEntry('archive', name, 'is encrypted: create the archive without a password')
  if (entry.compressionMethod !== stored && entry.compressionMethod !== deflated)
    throw refuseEntry(
      'archive',
      name,
      `has the compression method ${entry.compressionMethod}, which is not supported: use deflate, the default of zip`,
    )
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
    throw refuseArchive(`is damaged: the checksum of "${name}" is wrong. Send it again`)
}
