import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import pg from 'pg'
import tar from 'tar-stream'
import { ZodError } from 'zod'
import { errorCode } from '@/lib/contract/error-code'
import { entryNames, sumLine } from './backup-format'
import type { FileAttributes } from './backup-writer'

export interface BackupEntry {
  name: string
  bytes: number
  attributes: Required<FileAttributes>
  /** Must be read to its end. */
  content: AsyncIterable<Uint8Array>
}

const incomplete = 'The backup is damaged or incomplete. Use another one.'

/**
 * Calls `onEntry` for each entry in order, then compares all checksums.
 * @param onProgress gets the bytes of the file that have been read, and its size
 * @returns the size of the file
 * @throws if the file is incomplete, or differs from what was written
 */
export async function readBackup(
  file: string,
  onEntry: (entry: BackupEntry) => Promise<void>,
  { signal, onProgress }: { signal?: AbortSignal; onProgress?: (bytes: number, size: number) => void } = {},
): Promise<number> {
  const sums: string[] = []
  let expected: string | null = null
  const readEntry = async (entry: tar.ExtractEvents['entry'][1]) => {
    const hash = createHash('sha256')
    async function* content() {
      for await (const part of entry as AsyncIterable<Buffer>) {
        hash.update(part)
        yield part
      }
    }
    const { name, size: bytes, mode, uid, gid, mtime } = entry.header
    if (name === entryNames.sums) {
      expected = (await buffer(content())).toString()
      return
    }
    await onEntry({ name, bytes, attributes: { mode, uid, gid, mtime }, content: content() })
    sums.push(sumLine(hash.digest('hex'), name))
  }
  const { size } = await stat(file).catch((cause: unknown) => {
    throw new Error(`${file} cannot be read (${errorCode(cause)}). Check the path of the backup.`, { cause })
  })
  async function* counted(parts: AsyncIterable<Buffer>) {
    let bytes = 0
    for await (const part of parts) {
      bytes += part.length
      onProgress?.(bytes, size)
      yield part
    }
  }
  try {
    const entries = tar.extract()
    const read = pipeline(createReadStream(file), counted, createGunzip(), entries, { signal })
    // A failure also ends the loop, which throws what came first.
    read.catch(() => {})
    for await (const entry of entries) await readEntry(entry)
    await read
  } catch (cause) {
    signal?.throwIfAborted()
    throw describeFault(file, cause)
  }
  if (expected === null) throw new Error(`${file} ends before its checksums. ${incomplete}`)
  const wrong = firstDifference(sums, expected)
  if (wrong !== null)
    throw new Error(`The checksum of ${wrong} in ${file} is not that of the backup. ${incomplete}`)
  return size
}

/** What PostgreSQL answers to damaged rows: wrong values, broken constraints, and a name that does not exist. */
const damagedRow = /^(22|23|42P01)/

/** Damaged bytes show up before the checksums are compared: in the archive, in a JSON document, or in a row. */
function describeFault(file: string, cause: unknown): unknown {
  const code = errorCode(cause)
  const damaged =
    code?.startsWith('Z_') ||
    cause instanceof SyntaxError ||
    cause instanceof ZodError ||
    (cause instanceof pg.DatabaseError && damagedRow.test(cause.code ?? '')) ||
    (cause instanceof Error &&
      /^(Unexpected end of data|Invalid (tar )?header|Header exceeds)/.test(cause.message))
  return damaged ? new Error(`${file} cannot be read to its end. ${incomplete}`, { cause }) : cause
}

function firstDifference(sums: readonly string[], expected: string): string | null {
  const lines = expected.split('\n').slice(0, -1)
  const index = sums.findIndex((line, at) => line !== `${lines[at]}\n`)
  if (index !== -1) return sums[index]?.slice(66, -1) ?? 'an entry'
  return lines.length === sums.length ? null : (lines[sums.length]?.slice(66) ?? 'an entry')
}
