import type { PackedEntry } from './packed-entry'

/** The fields of an entry in the directory of a zip file. */
export interface ZipFields {
  rawName: Uint8Array
  flags: number
  method: number
  /** Its upper byte names the system on which the file was made. */
  madeBy: number
  attributes: number
  extraFields: readonly { id: number; data: Uint8Array }[]
}

const encryptedFlag = 0x1
const utf8Flag = 0x800
const unicodePathId = 0x7075
const [stored, deflated] = [0, 8]
/** Systems whose zip programs store the mode of a file: Unix and macOS. */
const unixHosts = [3, 19]
const directoryAttribute = 0x10
const fileTypes = { mask: 0o170_000, fifo: 0o010_000, directory: 0o040_000, file: 0o100_000, link: 0o120_000 }

const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The characters 128 to 255 of code page 437, which zip files without a mark use. */
const upper437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'

/** What the fields of a zip entry say about it. */
export function describeZipEntry(
  fields: ZipFields,
): Pick<PackedEntry, 'name' | 'kind' | 'problem' | 'executable'> {
  // Some programs for Windows write backslashes, which are slashes here.
  const name = decodeZipName(fields).replaceAll('\\', '/')
  const isUnix = unixHosts.includes(fields.madeBy >> 8)
  const mode = isUnix ? fields.attributes >>> 16 : 0
  const type = mode & fileTypes.mask
  const executable = (mode & 0o100) !== 0
  const isDirectory = type === 0 && (fields.attributes & directoryAttribute) !== 0
  if (name.endsWith('/') || type === fileTypes.directory || isDirectory)
    return { name, kind: 'directory', problem: null, executable: false }
  const kind = type === fileTypes.link ? 'link' : 'file'
  return { name, kind, problem: refuseType(type) ?? refuseStorage(fields), executable }
}

function refuseType(type: number): string | null {
  if (type === fileTypes.fifo) return 'is a FIFO'
  return type === 0 || type === fileTypes.file || type === fileTypes.link ? null : 'is a device or a socket'
}

function refuseStorage({ flags, method }: ZipFields): string | null {
  if ((flags & encryptedFlag) !== 0) return 'is encrypted: create the archive without a password'
  if (method === stored || method === deflated) return null
  return `has the compression method ${method}, which is not supported: use deflate, the default of zip`
}

/**
 * The name of an entry. A name that is valid UTF-8 is UTF-8, also without the mark: programs of macOS and Linux write it so. Other
 * names are in code page 437, as the format says.
 */
function decodeZipName({ rawName, flags, extraFields }: ZipFields): string {
  const unicode = unicodePath(rawName, extraFields)
  if (unicode !== null) return unicode
  if ((flags & utf8Flag) !== 0) return decoder.decode(rawName)
  try {
    return strictDecoder.decode(rawName)
  } catch {
    return Array.from(rawName, (byte) =>
      byte < 128 ? String.fromCharCode(byte) : upper437[byte - 128],
    ).join('')
  }
}

/** The name in UTF-8 beside a name in another encoding. It counts as long as its checksum is that of the name. */
function unicodePath(rawName: Uint8Array, extraFields: ZipFields['extraFields']): string | null {
  const data = extraFields.find(({ id }) => id === unicodePathId)?.data
  if (data === undefined || data.length < 6 || data[0] !== 1) return null
  const sum = new DataView(data.buffer, data.byteOffset, data.byteLength).getUint32(1, true)
  return sum === crc32(rawName) ? decoder.decode(data.subarray(5)) : null
}

/** The checksum of zip files, for short texts. */
function crc32(bytes: Uint8Array): number {
  let sum = ~0
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0)
  }
  return ~sum >>> 0
}
