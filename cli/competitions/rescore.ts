import type { Rescore, RescoreDetail, RescoreRow } from '@/lib/competitions/contract-rescores'
import { conflict, invalidRequest } from '@/lib/contract/errors'
import type { Client } from '@/lib/http/client/client'
import { formatCount } from '../console/format'
import { type Column, renderTable } from '../console/table'
import { withoutControls } from '../console/terminal'
import { type Context, print } from '../context'
import { exitCodes } from '../job/exit-code'
import { note } from '../job/show-job'
import { untilAnswered } from '../job/until-answered'

const pauseMs = 2_000

interface RescoreOptions {
  phase?: string
  apply?: boolean
  discard?: boolean
  json?: boolean
}

/** Scores the stored outputs of a phase again and shows who moves; applies or discards what was shown. */
export async function rescore(
  context: Context,
  slug: string,
  { phase: asked, apply, discard, json }: RescoreOptions,
): Promise<number> {
  if (apply && discard) throw invalidRequest('Give --apply or --discard, not both.')
  const client = await context.connect()
  const phase = asked ?? (await onlyPhase(client, slug))
  const sets = await client.rescores.list(slug, phase)
  const open = sets.find(({ state }) => state === 'running' || state === 'ready')
  if (discard || apply) {
    if (!open)
      throw conflict(`"${slug}" has no set of new scores in "${phase}". Without this option, one is made.`)
    if (discard) {
      const discarded = await client.rescores.discard(open.id)
      return print(context, json, discarded, `Discarded: the scores of "${phase}" are as before.\n`)
    }
    return applyShown(context, client, open.id, json)
  }
  const set = open ?? (await client.rescores.create(slug, phase))
  const { progress, scorer_version: version } = set
  await note(
    context,
    `${open ? 'The open set scores' : 'Scoring'} ${countEntries(progress.entries)} of "${phase}" again with version ${version} of the scoring program.`,
  )
  const detail = await untilReady(context, client, set)
  if (detail === null) {
    await note(context, 'The set goes on. The same command shows it again.')
    return exitCodes.cancelled
  }
  const next = `Nothing has changed yet. Add --apply to let the new scores count, or --discard to give them up.\n`
  return print(context, json, detail, describeSet(context, detail) + next)
}

async function onlyPhase(client: Client, slug: string): Promise<string> {
  const { phases } = await client.competitions.get(slug)
  const [first, ...others] = phases.map(({ key }) => key)
  if (first !== undefined && others.length === 0) return first
  throw invalidRequest(
    `"${slug}" has several phases. Add --phase ${[first, ...others].join(', or --phase ')}.`,
  )
}

/** Shows what a set changes, and applies it. */
async function applyShown(
  context: Context,
  client: Client,
  id: string,
  json: boolean | undefined,
): Promise<number> {
  const detail = await client.rescores.get(id)
  const applied = await client.rescores.apply(id)
  const text = `${describeSet(context, detail)}Applied: the new scores of "${applied.phase}" count.\n`
  return print(context, json, { ...detail, ...applied }, text)
}

/** Waits until all runs of a set have ended. Null: interrupted. */
async function untilReady(context: Context, client: Client, { id }: Rescore): Promise<RescoreDetail | null> {
  const signal = context.interrupted()
  let shown = ''
  for (;;) {
    const detail = await untilAnswered(context, () => client.rescores.get(id))
    if (detail.state !== 'running') return detail
    const now = describeProgress(detail)
    if (now !== shown) await note(context, now)
    shown = now
    await context.sleep(pauseMs)
    if (signal.aborted) return null
  }
}

function describeProgress({ progress, awaited }: RescoreDetail): string {
  const { entries, scored, failed } = progress
  const parts = [
    `${scored} of ${countEntries(entries)} scored`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(awaited > 0 ? [`${awaited} sent before have not ended`] : []),
  ]
  return parts.join(', ')
}

function describeSet(
  context: Context,
  { preview, failures, outdated, progress, state }: RescoreDetail,
): string {
  if (preview === null) return `The set is ${state}.\n`
  const { columns, rows, total, unchanged } = preview
  const table: Column<RescoreRow>[] = [
    { title: 'RANK', cell: ({ rank }) => change(rank.before, rank.after) },
    { title: 'TEAM', cell: ({ team }) => team, long: true },
    ...columns.map(
      ({ name }): Column<RescoreRow> => ({
        title: name.toUpperCase(),
        cell: ({ values }) => change(values.before?.[name] ?? null, values.after?.[name] ?? null),
      }),
    ),
  ]
  const lines = [
    ...(total > rows.length ? [`${total - rows.length} more rows change.`] : []),
    `${formatCount(unchanged, 'row')} of the board ${unchanged === 1 ? 'stays' : 'stay'} as before.`,
    ...(progress.failed > 0 ? [`The scoring program failed for ${countEntries(progress.failed)}:`] : []),
    ...failures.map(
      ({ entry_id, team, message, keeps }) =>
        `  ${entry_id} of ${team}: ${message}${keeps ? ' Its earlier score stays.' : ''}`,
    ),
    ...(outdated
      ? ['There is a newer scoring program, or newer labels: discard this set, and score again.']
      : []),
  ]
  const head = rows.length > 0 ? renderTable(table, rows, context.terminal) : ''
  return `${head}${lines.map(withoutControls).join('\n')}\n`
}

const countEntries = (count: number) => `${count} ${count === 1 ? 'entry' : 'entries'}`

const change = (before: string | number | null, after: string | number | null): string =>
  before === after ? String(after ?? '-') : `${before ?? '-'} → ${after ?? '-'}`
