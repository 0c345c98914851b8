import { z } from 'zod'
import { database } from '../../database/client'
import type { Waiting } from '../../scheduling/types'
import { lastingReason } from '../gpus/gpu-health'
import { sentence } from '../overview/cluster-states'

const unavailableRow = z.object({
  id: z.string(),
  node: z.string(),
  /** Its number on the node; null: the whole node is meant. */
  gpu: z.number().nullable(),
  state: z.enum(['paused', 'quarantined', 'outside']),
  /** Null where nobody wrote it down. */
  since: z.date().nullable(),
  /** What the admin said, or what was found. */
  words: z.string().nullable(),
})

/** A node or GPU that takes nothing new. */
export type Unavailable = z.output<typeof unavailableRow>

/** In that order of nodes and GPUs in which people see them. */
const selectHeldBack = `
  SELECT * FROM (
    SELECT n.id, n.number, n.name AS node, NULL::int AS gpu,
           CASE WHEN n.quarantined_at IS NOT NULL THEN 'quarantined' ELSE 'paused' END AS state,
           coalesce(n.quarantined_at, n.paused_at) AS since,
           CASE WHEN n.quarantined_at IS NOT NULL THEN n.quarantine_reason ELSE n.pause_reason END AS words
      FROM nodes n WHERE n.id = ANY ($1::uuid[]) AND (n.quarantined_at IS NOT NULL OR n.paused_at IS NOT NULL)
    UNION ALL
    SELECT g.id, n.number, n.name, g.index, CASE WHEN g.paused_at IS NOT NULL THEN 'paused' ELSE 'outside' END,
           g.paused_at, CASE WHEN g.paused_at IS NOT NULL THEN g.pause_reason ELSE g.busy_reason END
      FROM gpus g JOIN nodes n ON n.id = g.node_id
     WHERE g.id = ANY ($1::uuid[]) AND (g.paused_at IS NOT NULL OR g.busy_reason IS NOT NULL)
  ) AS held ORDER BY number, gpu`

/**
 * Adds to what waiting jobs are told the words that stand beside the nodes and GPUs they wait for: what the admin said
 * who paused them, and since when. Everybody sees those on the cluster's page. Nothing is planned by them.
 */
export async function addUnavailableReasons(waiting: readonly Waiting[]): Promise<Waiting[]> {
  // Jobs that ask for the same share one list.
  const lists = new Set(waiting.flatMap((one) => (one.unavailable?.length ? [one.unavailable] : [])))
  if (lists.size === 0) return [...waiting]
  const { rows } = await database().pool.query({
    name: 'held-back',
    text: selectHeldBack,
    values: [[...new Set([...lists].flat())]],
  })
  const all = z.array(unavailableRow).parse(rows)
  const wordsOf = new Map<readonly string[], string | null>()
  for (const list of lists) {
    const ids = new Set(list)
    wordsOf.set(list, describeUnavailable(all.filter(({ id }) => ids.has(id))))
  }
  return waiting.map((one) => {
    const words = one.unavailable && wordsOf.get(one.unavailable)
    return words ? { ...one, detail: [one.detail, words].filter(Boolean).join(' ') } : one
  })
}

/** More of them are counted: the text goes into lists. */
const mostSentences = 3
const mostNodes = 3
const mostCharacters = 300

/** Who holds them back, since when and why, in a sentence for each reason; null where there are none. */
export function describeUnavailable(held: readonly Unavailable[]): string | null {
  const causes = new Map<string, Unavailable[]>()
  for (const one of held) {
    const words = one.words && (one.state === 'outside' ? lastingReason(one.words) : one.words)
    const key = JSON.stringify([one.state, one.gpu === null, words])
    causes.set(key, [...(causes.get(key) ?? []), { ...one, words }])
  }
  if (causes.size === 0) return null
  const told = [...causes.values()].slice(0, mostSentences).map(describeCause)
  const more = causes.size - told.length
  const rest =
    more === 0 ? [] : [`${more} more ${more === 1 ? 'reason stands' : 'reasons stand'} on the cluster page.`]
  return [...told, ...rest].join(' ')
}

/** @param held those of one state and the same words. */
function describeCause(held: readonly Unavailable[]): string {
  const [first] = held
  if (!first) return ''
  const what = describeWhich(held)
  const words = first.words && shorten(first.words)
  const when = describeResumeTime(held)
  switch (first.state) {
    case 'paused':
      return sentence(`An admin paused ${what}${when}`, words)
    case 'quarantined':
      return sentence(`${what} ${held.length > 1 ? 'were' : 'was'} quarantined${when}`, words)
    case 'outside':
      return sentence(what, words)
  }
}

/** Such as " on 2026-11-22 at 05:59 UTC": the time of the first of them. */
function describeResumeTime(held: readonly Unavailable[]): string {
  const times = held.flatMap(({ since }) => (since === null ? [] : [since.getTime()]))
  if (times.length === 0) return ''
  const [date, time] = new Date(Math.min(...times)).toISOString().split('T')
  return ` on ${date} at ${time?.slice(0, 5)} UTC`
}

/** Such as "lab-a and lab-b", or "GPUs 0, 2 of lab-a". */
function describeWhich(held: readonly Unavailable[]): string {
  const gpusOf = new Map<string, number[]>()
  for (const { node, gpu } of held)
    gpusOf.set(node, [...(gpusOf.get(node) ?? []), ...(gpu === null ? [] : [gpu])])
  const nodes = [...gpusOf].slice(0, mostNodes).map(([node, gpus]) => formatGpus(node, gpus))
  const more = gpusOf.size - nodes.length
  if (more > 0) nodes.push(`${held[0]?.gpu === null ? '' : 'GPUs of '}${more} more`)
  return nodes.length === 1 ? nodes.join('') : `${nodes.slice(0, -1).join(', ')} and ${nodes.at(-1)}`
}

function formatGpus(node: string, gpus: readonly number[]): string {
  if (gpus.length === 0) return node
  return `${gpus.length === 1 ? 'GPU' : 'GPUs'} ${gpus.join(', ')} of ${node}`
}

function shorten(words: string): string {
  return words.length > mostCharacters ? `${words.slice(0, mostCharacters).trimEnd()}…` : words
}
