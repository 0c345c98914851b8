import { cannotStart, cannotStartYet } from '../../contract/reasons'
import { database } from '../../database/client'
import { startsNodesOnDemand } from '../../env/engine'
import type { JobWait } from '../../jobs/state/explain'
import type { Waiting } from '../../scheduling/explain'
import { stableReason } from '../gpus/gpu-health'
import { sentence } from '../overview/cluster-states'

/** A closed node or a blocked GPU. */
export interface Unavailable {
  id: string
  node: string
  /** Its number on the node; null: the whole node. */
  gpu: number | null
  state: 'paused' | 'quarantined' | 'outside'
  /** Null if unknown. */
  since: Date | null
  /** The admin's reason, or the detected problem. */
  explanation: string | null
}

/** Ordered like the cluster page. */
const selectUnavailable = `
  SELECT id, node, gpu, state, since, explanation FROM (
    SELECT n.id, n.number, n.name AS node, NULL::int AS gpu,
           CASE WHEN n.quarantined_at IS NOT NULL THEN 'quarantined' ELSE 'paused' END AS state,
           coalesce(n.quarantined_at, n.paused_at) AS since,
           CASE WHEN n.quarantined_at IS NOT NULL THEN n.quarantine_reason ELSE n.pause_reason END AS explanation
      FROM nodes n WHERE n.id = ANY ($1::uuid[]) AND (n.quarantined_at IS NOT NULL OR n.paused_at IS NOT NULL)
    UNION ALL
    SELECT g.id, n.number, n.name, g.index, CASE WHEN g.paused_at IS NOT NULL THEN 'paused' ELSE 'outside' END,
           g.paused_at, CASE WHEN g.paused_at IS NOT NULL THEN g.pause_reason ELSE g.busy_reason END
      FROM gpus g JOIN nodes n ON n.id = g.node_id
     WHERE g.id = ANY ($1::uuid[]) AND (g.paused_at IS NOT NULL OR g.busy_reason IS NOT NULL)
  ) AS held ORDER BY number, gpu`

/** Where nodes are started on demand, a job that is too large for the present ones may start later. */
export function allowForMoreNodes(waiting: readonly Waiting[]): readonly Waiting[] {
  if (!startsNodesOnDemand()) return waiting
  return waiting.map((one) =>
    one.reason === 'never_fits' && one.detail !== null
      ? { ...one, detail: one.detail.replace(cannotStart, cannotStartYet) }
      : one,
  )
}

/**
 * Adds to the wait reasons who closed the nodes or GPUs that the jobs need, since when and why. The cluster page
 * shows the same to everybody. The scheduler does not use these texts.
 */
export async function addUnavailableReasons(waiting: readonly Waiting[]): Promise<JobWait[]> {
  // Jobs with equal requests share one list.
  const lists = new Set(waiting.flatMap((one) => (one.unavailable?.length ? [one.unavailable] : [])))
  if (lists.size === 0) return [...waiting]
  const { rows } = await database().pool.query<Unavailable>({
    name: 'unavailable-reasons',
    text: selectUnavailable,
    values: [[...new Set([...lists].flat())]],
  })
  const explanationOf = new Map<readonly string[], string | null>()
  for (const list of lists) {
    const ids = new Set(list)
    explanationOf.set(list, describeUnavailable(rows.filter(({ id }) => ids.has(id))))
  }
  return waiting.map((one) => {
    const explanation = one.unavailable && explanationOf.get(one.unavailable)
    return explanation ? { ...one, detail: [one.detail, explanation].filter(Boolean).join(' ') } : one
  })
}

/** The rest is only counted, because the text appears in lists. */
const maxSentences = 3
const maxNodes = 3
const maxCharacters = 300

/** Describes who closed them, since when and why, one sentence per reason; null for an empty list. */
export function describeUnavailable(entries: readonly Unavailable[]): string | null {
  const causes = new Map<string, Unavailable[]>()
  for (const one of entries) {
    const explanation =
      one.explanation && (one.state === 'outside' ? stableReason(one.explanation) : one.explanation)
    const key = JSON.stringify([one.state, one.gpu === null, explanation])
    causes.set(key, [...(causes.get(key) ?? []), { ...one, explanation }])
  }
  if (causes.size === 0) return null
  const sentences = [...causes.values()].slice(0, maxSentences).map(describeCause)
  const more = causes.size - sentences.length
  const rest =
    more === 0 ? [] : [`${more} more ${more === 1 ? 'reason is' : 'reasons are'} on the cluster page.`]
  return [...sentences, ...rest].join(' ')
}

/** @param entries entries of the same state and reason. */
function describeCause(entries: readonly Unavailable[]): string {
  const [first] = entries
  if (!first) return ''
  const what = describeWhich(entries)
  const explanation = first.explanation && shorten(first.explanation)
  const when = describeSince(entries)
  switch (first.state) {
    case 'paused':
      return sentence(`An admin paused ${what}${when}`, explanation)
    case 'quarantined':
      return sentence(`${what} ${entries.length > 1 ? 'were' : 'was'} quarantined${when}`, explanation)
    case 'outside':
      return sentence(what, explanation)
  }
}

/** Example: " on 2026-11-22 at 05:59 UTC"; the time of the earliest entry. */
function describeSince(entries: readonly Unavailable[]): string {
  const times = entries.flatMap(({ since }) => (since === null ? [] : [since.getTime()]))
  if (times.length === 0) return ''
  const [date, time] = new Date(Math.min(...times)).toISOString().split('T')
  return ` on ${date} at ${time?.slice(0, 5)} UTC`
}

/** Example: "lab-a and lab-b", or "GPUs 0, 2 of lab-a". */
function describeWhich(entries: readonly Unavailable[]): string {
  const gpusOf = new Map<string, number[]>()
  for (const { node, gpu } of entries)
    gpusOf.set(node, [...(gpusOf.get(node) ?? []), ...(gpu === null ? [] : [gpu])])
  const nodes = [...gpusOf].slice(0, maxNodes).map(([node, gpus]) => formatGpus(node, gpus))
  const more = gpusOf.size - nodes.length
  if (more > 0) nodes.push(`${entries[0]?.gpu === null ? '' : 'GPUs of '}${more} more`)
  return nodes.length === 1 ? nodes.join('') : `${nodes.slice(0, -1).join(', ')} and ${nodes.at(-1)}`
}

function formatGpus(node: string, gpus: readonly number[]): string {
  if (gpus.length === 0) return node
  return `${gpus.length === 1 ? 'GPU' : 'GPUs'} ${gpus.join(', ')} of ${node}`
}

function shorten(explanation: string): string {
  return explanation.length > maxCharacters
    ? `${explanation.slice(0, maxCharacters).trimEnd()}…`
    : explanation
}
