import { piecesOf } from './streams'

/** More places that look like a second member are not tried: each costs a decompression. */
const mostTried = 100

/**
 * Decompresses a gzip file. It may have several members (`cat a.gz b.gz`, bgzip), which browsers refuse after the first one. So each is
 * decompressed alone.
 */
export async function* gunzip(archive: Blob): AsyncGenerator<Uint8Array> {
  const starts = await findStarts(archive)
  let start = 0
  let next = 0
  while (start < archive.size) {
    while (next < starts.length && (starts[next] ?? 0) <= start) next++
    const end = await findEnd(archive, start, starts.slice(next, next + mostTried))
    yield* unzip(archive.slice(start, end))
    start = end
  }
}

function unzip(member: Blob): AsyncGenerator<Uint8Array> {
  return piecesOf(member.stream().pipeThrough(new DecompressionStream('gzip')))
}

/** The places after the first byte that may begin a member: its mark, and flags that exist. */
async function findStarts(archive: Blob): Promise<number[]> {
  const starts: number[] = []
  let known = new Uint8Array()
  let offset = 0
  for await (const piece of piecesOf(archive.stream())) {
    const bytes = new Uint8Array(known.length + piece.length)
    bytes.set(known)
    bytes.set(piece, known.length)
    for (let at = bytes.indexOf(0x1f); at !== -1 && at + 3 < bytes.length; at = bytes.indexOf(0x1f, at + 1)) {
      const isStart = bytes[at + 1] === 0x8b && bytes[at + 2] === 8 && (bytes[at + 3] ?? 0) < 0x20
      if (isStart && offset + at > 0) starts.push(offset + at)
    }
    // A start may be divided.
    known = bytes.slice(-3)
    offset += bytes.length - known.length
  }
  return starts
}

/** The end of a member: the first place up to which it is complete, with the right checksum. */
async function findEnd(archive: Blob, start: number, places: readonly number[]): Promise<number> {
  for (const place of places) if (await isComplete(archive.slice(start, place))) return place
  return archive.size
}

async function isComplete(member: Blob): Promise<boolean> {
  const pieces = unzip(member)
  try {
    while (!(await pieces.next()).done);
    return true
  } catch {
    return false
  }
}
