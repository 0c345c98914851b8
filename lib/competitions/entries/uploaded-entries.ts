import type { Actor } from '../../access/actor'
import { timeLimit } from '../../async/time-limit'
import { conflict, GpuqError, invalidField } from '../../contract/errors'
import type { ExitRecord, OutputRecord } from '../../contract/output/records'
import { isDatabaseAway } from '../../database/away'
import { database } from '../../database/client'
import { oneRow, type Transaction } from '../../database/transaction'
import type { Received } from '../../http/upload'
import type { AcceptOptions, UploadAnswer, UploadKind } from '../../http/upload-kind'
import { requireStillValid, startWaiting } from '../../jobs/live/wait'
import { requireOwnName } from '../../jobs/submission/check-request'
import { readBoard } from '../boards/boards'
import { boardQuerySchema } from '../contract-boards'
import type { PhaseConfig } from '../contract-config'
import type { Entry, EntryState } from '../contract-entries'
import { describeSubmitted } from '../contract-entry-message'
import type { EntryDryRun, EntryResult } from '../contract-submit'
import { acceptEntry, tryEntry } from './accept-entry'
import { withdrawEntry } from './change-entry'
import { toEntryRequest } from './entry-request'
import { findTarget } from './find-target'
import { findEntry, readQuota, waitForEntry } from './read-entries'
import { toEntry } from './to-entry'

/** Uploads whose `competition_id` names a competition that their sender takes part in are entries of it. */
export const uploadedEntries: UploadKind<EntryResult, EntryDryRun> = {
  async find(received) {
    const target = await findTarget(received.actor, received.request.config.competition_id)
    if (!('competitionId' in target)) return target
    const { competitionId } = target
    return {
      other: {
        accept: (options) => accept(received, competitionId, options),
        check: () => check(received, competitionId),
      },
    }
  },

  read: async (actor, id) => (await answerTo(actor, id)).body,

  async download(actor, id, format) {
    const { body } = await answerTo(actor, id)
    const headers = { 'cache-control': 'no-store', 'content-type': `${contentTypes[format]}; charset=utf-8` }
    return new Response(format === 'text' ? body.stdout : toRecords(body), { headers })
  },

  async cancel(actor, id) {
    await withdrawEntry(actor, id)
    return (await answerTo(actor, id)).body
  },
}

async function accept(received: Received, competitionId: string, { deduplicate, wait }: AcceptOptions) {
  const { actor, request } = received
  requireOwnName(actor, request.config)
  if (deduplicate)
    throw invalidField(
      'deduplicate',
      'is for jobs: send an Idempotency-Key, which makes a repeated request the same entry',
    )
  const accepted = await acceptEntry(actor, competitionId, toEntryRequest(received))
  const stopWaiting = wait > 0 ? startWaitingIfPossible(actor) : null
  return {
    async answer(closed: AbortSignal): Promise<UploadAnswer<EntryResult>> {
      try {
        if (stopWaiting) {
          await waitForEntry(actor, accepted.id, timeLimit(wait * 1000, closed))
          await requireStillValid(actor, { id: accepted.id, kind: 'entry' })
        }
        return await answerTo(actor, accepted.id).catch((error: unknown) => throwAccepted(accepted.id, error))
      } finally {
        stopWaiting?.()
      }
    },
  }
}

/** An entry is accepted whatever else its sender waits for, so it is not refused: its answer comes at once. */
function startWaitingIfPossible(actor: Actor): (() => void) | null {
  try {
    return startWaiting(actor)
  } catch {
    return null
  }
}

const contentTypes = { jsonl: 'application/x-ndjson', text: 'text/plain' } as const

/** The records of a result file: the line of gpuq, and the end. @throws 409 before the end of the entry. */
function toRecords({ status, reason, reason_text, stdout, exit_code, entry }: EntryResult): string {
  const t = entry.ended_at
  if (t === null || status === 'pending' || status === 'running')
    throw conflict('The entry has not ended yet. Wait for its end with GET /api/entries/ID?wait=60.')
  const printed: OutputRecord = { type: 'stdout', t, text: stdout.trimEnd() }
  const end: ExitRecord = {
    type: 'exit',
    t,
    status,
    reason: reason ?? 'finished',
    reason_text: reason_text ?? entry.message,
    exit_code,
    started_at: null,
    ended_at: t,
  }
  return `${JSON.stringify(printed)}\n${JSON.stringify(end)}\n`
}

const jobStatus: Record<EntryState, EntryResult['status']> = {
  held: 'pending',
  running: 'running',
  scoring: 'running',
  scored: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
}

/** Answers as for a job whose output is one line of gpuq. */
async function answerTo(actor: Actor, id: string): Promise<UploadAnswer<EntryResult>> {
  const row = await findEntry(actor, id)
  const entry = toEntry(row, row.viewer)
  const hasEnded = entry.ended_at !== null
  const [rank, quota] = await Promise.all([
    hasEnded ? readRank(actor, entry) : null,
    readQuotaOf(database().pool, id),
  ])
  return {
    status: hasEnded ? 200 : 202,
    headers: { location: `/api/entries/${id}` },
    body: {
      job_id: id,
      status: jobStatus[entry.state],
      reason: entry.cause,
      reason_text: entry.message,
      stdout: `gpuq: ${describeSubmitted(entry, rank, quota)}\n`,
      stderr: '',
      exit_code: hasEnded ? exitCodeOf(entry) : null,
      results: [],
      result_file: null,
      truncated: false,
      entry,
      rank,
      quota,
      page: `/competitions/${entry.competition_id}`,
    },
  }
}

/** The rank of the entry's team on the board that the caller sees; null: it has none, or the competition has dropped the phase. */
async function readRank(
  actor: Actor,
  { competition_id, phase }: Pick<Entry, 'competition_id' | 'phase'>,
): Promise<number | null> {
  try {
    const { own } = await readBoard(actor, competition_id, phase, boardQuerySchema.parse({ limit: 1 }))
    return own?.rank ?? null
  } catch (error) {
    if (error instanceof GpuqError && error.code === 'not_found') return null
    throw error
  }
}

/** The entry is stored. A client must not send it again because its result cannot be read. */
function throwAccepted(id: string, error: unknown): never {
  if (!isDatabaseAway(error)) throw error
  const location = `/api/entries/${id}`
  throw new GpuqError(
    'unavailable',
    `gpuq accepted entry ${id}, but its database does not answer now. Do not submit the entry again. Get ${location} later.`,
    { retryAfterS: 5, headers: { location } },
  )
}

const exitCodeOf = ({ state }: Pick<Entry, 'state'>) => (state === 'scored' ? 0 : 1)

async function check(received: Received, competitionId: string): Promise<EntryDryRun> {
  const { actor, request } = received
  requireOwnName(actor, request.config)
  return tryEntry(actor, competitionId, toEntryRequest(received, true), async (tx, id) => {
    const { kind, phase, slug } = await findEntry(actor, id, tx)
    const name = { entry: 'an entry', rehearsal: 'a rehearsal', baseline: 'a baseline' }[kind]
    return {
      dry_run: true,
      text: `gpuq would accept this as ${name} in the phase "${phase}" of "${slug}". Nothing was stored.`,
      competition_id: slug,
      phase,
      kind,
      quota: await readQuotaOf(tx, id),
    }
  })
}

/** What the sender of an entry has left of its phase now. */
async function readQuotaOf(executor: Transaction, entryId: string) {
  const entry = await oneRow<{ phaseId: string; teamId: string | null; spec: PhaseConfig; timezone: string }>(
    executor,
    {
      name: 'quota-of-entry',
      text: `SELECT e.phase_id AS "phaseId", e.team_id AS "teamId", p.spec, c.timezone
               FROM entries e JOIN competition_phases p ON p.id = e.phase_id JOIN competitions c ON c.id = e.competition_id
              WHERE e.id = $1`,
      values: [entryId],
    },
  )
  return readQuota(executor, entry)
}
