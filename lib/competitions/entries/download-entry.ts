import type { Actor } from '../../access/actor'
import { isCredentialValid } from '../../access/credential-validity'
import { forbidden, notFound } from '../../contract/errors'
import { database } from '../../database/client'
import { findRow, oneRow } from '../../database/transaction'
import { contentDisposition } from '../../jobs/downloads/content-disposition'
import { readerOf } from '../../jobs/read/reader-of'
import { toPlainText } from '../../results/decode'
import { readLastRecords } from '../../results/reading/read-output'
import { startReading } from '../../results/reading/reading-slots'
import { findEntry, noSuchEntry } from './read-entries'
import { mayReadLog } from './to-entry'

/** Bytes of stored records, which are a little longer than what was printed. */
const logBytes = 1024 * 1024

/** What the program of an entry has printed so far: the end of it. @throws 403 if its phase hides that from the caller. */
export async function downloadLog(actor: Actor, id: string, request: Request): Promise<Response> {
  const entry = await findEntry(actor, id)
  if (!mayReadLog(entry, entry.viewer))
    throw forbidden(
      'This phase does not show what programs print, because they read hidden data. Try the program with `rehearse: true`, whose output you can read.',
    )
  const records = entry.jobId === null ? [] : await readRecords(actor, entry.jobId, request)
  return contentDisposition(toPlainText(Buffer.from(records.map((line) => `${line}\n`).join(''))), {
    name: `${id}.log`,
    type: 'text/plain; charset=utf-8',
    mayRead: () => isCredentialValid(actor),
  })
}

async function readRecords(actor: Actor, jobId: string, request: Request): Promise<string[]> {
  const reader = readerOf(actor, request)
  const endReading = await startReading(reader, jobId)
  try {
    const { attempt } = await oneRow<{ attempt: number }>(database().pool, {
      name: 'attempt-of-entry',
      text: 'SELECT attempt FROM jobs WHERE id = $1',
      values: [jobId],
    })
    return await readLastRecords(reader, jobId, attempt, logBytes)
  } finally {
    endReading?.()
  }
}

/** The program of an entry. */
export async function downloadSource(actor: Actor, id: string): Promise<Response> {
  await findEntry(actor, id)
  const row = await findRow<{ code: Buffer | null }>(database().pool, {
    name: 'source-of-entry',
    text: `SELECT coalesce(g.content, nullif(e.code, '')) AS code
             FROM entries e LEFT JOIN jobs j ON j.id = e.job_id LEFT JOIN programs g ON g.hash = j.program_hash WHERE e.id = $1`,
    values: [id],
  })
  if (!row) throw noSuchEntry()
  if (row.code === null) throw notFound('The program of this entry was deleted with the files of its job.')
  return contentDisposition(bytes(row.code), {
    name: 'solution.py',
    type: 'text/x-python; charset=utf-8',
    mayRead: () => isCredentialValid(actor),
  })
}

async function* bytes(content: Buffer): AsyncGenerator<Uint8Array> {
  yield content
}
