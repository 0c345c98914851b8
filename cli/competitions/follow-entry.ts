import * as z from 'zod'
import { type Entry, submittedEntrySchema } from '@/lib/competitions/contract-entries'
import { describeSubmitted } from '@/lib/competitions/contract-entry-message'
import type { Client } from '@/lib/http/client/client'
import { type Context, print, writeJson } from '../context'
import { exitCodes } from '../job/exit-code'
import type { SubmittedOptions } from '../job/other-submission'
import { note } from '../job/show-job'
import { untilAnswered } from '../job/until-answered'

/** Seconds for which one request waits. Proxies end longer ones. */
const waitS = 50

/** Follows an entry until it has a score, and shows the score, the rank and what is left of the quota. */
export async function followEntry(
  context: Context,
  submitted: object,
  { wait, quiet, json }: SubmittedOptions,
): Promise<number> {
  const { entry: accepted } = z.looseObject(submittedEntrySchema.shape).parse(submitted)
  if (!wait) return print(context, json, submitted, `${accepted.id}\n`)
  const isSilent = quiet || json
  if (!isSilent)
    await note(
      context,
      `${accepted.kind} ${accepted.id} of ${accepted.competition_id}, phase ${accepted.phase}`,
    )
  const client = await context.connect()
  const signal = context.interrupted()
  let entry: Entry = accepted
  let shown = ''
  try {
    while (entry.ended_at === null) {
      if (!isSilent && entry.message !== shown) await note(context, entry.message)
      shown = entry.message
      entry = await untilAnswered(context, () => client.entries.get(accepted.id, { wait: waitS }, signal))
    }
  } catch (error) {
    if (!signal.aborted) throw error
    if (!quiet)
      await note(context, `The entry goes on. The page of ${accepted.competition_id} shows its score.`)
    return exitCodes.cancelled
  }
  await showEnd(context, client, entry, json)
  if (entry.state === 'cancelled') return exitCodes.cancelled
  return entry.state === 'scored' ? exitCodes.ok : exitCodes.failed
}

/** Writes what the program printed, if the caller may read it, and the result in one line. */
async function showEnd(
  context: Context,
  client: Client,
  entry: Entry,
  json: boolean | undefined,
): Promise<void> {
  const { competition_id, phase } = entry
  const [{ own }, { quota }] = await Promise.all([
    client.boards.get(competition_id, phase, { limit: 1 }),
    client.entries.own(competition_id, phase),
  ])
  const rank = own?.rank ?? null
  if (json) {
    await writeJson(context, { entry, rank, quota })
    return
  }
  if (entry.log) await context.terminal.out(await (await client.entries.log(entry.id)).text())
  await context.terminal.out(`gpuq: ${describeSubmitted(entry, rank, quota)}\n`)
}
