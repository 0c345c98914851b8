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
  const extract = tar.extract()
  extract.on('entry', (header, stream, next) => {
    const hash = createHash('sha256')
    async function* content() {
      for await (const part of stream as AsyncIterable<Buffer>) {
        hash.update(part)
        yield part
      }
    }
    // The parser sets all of them.
    const { name, size, mode, uid, gid, mtime } = header as Required<tar.Headers>
    const read = async () => {
      if (name === entryNames.sums) {
        expected = (await buffer(content())).toString()
        return
      }
      await onEntry({ name, bytes: size, attributes: { mode, uid, gid, mtime }, content: content() })
      sums.push(sumLine(hash.digest('hex'), name))
    }
    read().then(() => next(), next)
  })
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
    await pipeline(createReadStream(file), counted, createGunzip(), extract, { signal })
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
    (cause instanceof Error && /^(Unexpected end of data|Invalid tar header)/.test(cause.message))
  return damaged ? new Error(`${file} cannot be read to its end. ${incomplete}`, { cause }) : cause
}

function firstDifference(sums: readonly string[], expected: string): string | null {
  const lines = expected.split('\n').slice(0, -1)
  const index = sums.findIndex((line, at) => line !== `${lines[at]}\n`)
  if (index !== -1) return sums[index]?.slice(66, -1) ?? 'an entry'
  return lines.length === sums.length ? null : (lines[sums.length]?.slice(66) ?? 'an entry')
}
