import { isTarHeader, tarBlockBytes } from './tar-header'

export type ArchiveFormat = 'zip' | 'tar' | 'tar.gz'

/** How many bytes of a file `detectArchive` needs. */
export const archiveHeadBytes = tarBlockBytes

const archiveExtension = /\.(zip|tar|tgz|tar\.gz)$/i
/** Formats that gpuq does not read, by their first bytes. */
const otherFormats: [name: string, start: string][] = [
  ['7z', '7z\xbc\xaf\x27\x1c'],
  ['rar', 'Rar!'],
  ['bzip2', 'BZh'],
  ['xz', '\xfd7zXZ'],
  ['zstd', '\x28\xb5\x2f\xfd'],
  ['lz4', '\x04\x22\x4d\x18'],
  ['compress', '\x1f\x9d'],
]

/** Whether a name is that of an archive that gpuq unpacks. */
export function isArchiveName(name: string): boolean {
  return archiveExtension.test(name)
}

/** The name of an archive without its extension. */
export function archiveStem(name: string): string {
  return name.replace(archiveExtension, '')
}

/** The format of a file by its first bytes, because names may be wrong; otherwise why gpuq cannot read it. */
export function detectArchive(head: Uint8Array): { format: ArchiveFormat } | { why: string } {
  const text = String.fromCharCode(...head.subarray(0, 8))
  if (text.startsWith('PK')) return { format: 'zip' }
  if (head[0] === 0x1f && head[1] === 0x8b) return { format: 'tar.gz' }
  const other = otherFormats.find(([, start]) => text.startsWith(start))
  const how = 'send a .zip, .tar, .tar.gz or .tgz'
  if (other !== undefined) return { why: `is a ${other[0]} file, which gpuq does not read: ${how}` }
  const isEmptyTar = head.length >= tarBlockBytes && head.every((byte) => byte === 0)
  if (isEmptyTar || isTarHeader(head)) return { format: 'tar' }
  return { why: `is no zip and no tar file: ${how}` }
}
