import { z } from 'zod'
import type { Diagnosis } from '../contract/diagnosis/diagnosis'
import { summarizeDiagnosis } from '../contract/diagnosis/print-diagnosis'
import { endNote, type Reason, reasonText } from '../contract/reasons'
import { visibleText } from '../contract/text/sanitize-text'
import { publicUrl } from '../env'
import { type NotificationEvent, notificationEvents } from './contract-events'
import type { ClaimedDelivery } from './outbox'

type Event = Pick<ClaimedDelivery, 'event' | 'data' | 'createdAt' | 'diagnosis'>

/** What a trigger writes about a job. */
const jobDataSchema = z.object({
  job_id: z.string(),
  name: z.string().nullable(),
  status: z.string().default(''),
  reason: z.custom<Reason>().nullable(),
  reason_detail: z.string().nullable(),
  stops_at: z.string().optional(),
})

/** What a trigger writes about a group of jobs. */
const groupDataSchema = z.object({
  group_id: z.string(),
  name: z.string().nullable(),
  status: z.enum(['completed', 'failed', 'cancelled']),
  members: z.int(),
  counts: z.object({ completed: z.int(), failed: z.int() }),
})

/** What gpuq writes about a node or the disk. */
const clusterDataSchema = z.object({ node: z.string().optional(), reason: z.string().nullable() })

/** The JSON of a webhook. */
export function toPayload({ event, data, createdAt, diagnosis }: Event): Record<string, unknown> {
  const url = urlOf({ event, data })
  const sent = { type: event, timestamp: createdAt.toISOString(), ...data, url }
  if (!diagnosis) return sent
  const { cause, summary, fault, error, place, next_step } = diagnosis
  return { ...sent, diagnosis: { cause, summary, fault, error, place, next_step } }
}

/** The page that shows more. */
function urlOf({ event, data: { job_id: jobId, group_id: groupId } }: Pick<Event, 'event' | 'data'>): string {
  if (typeof groupId === 'string') return `${publicUrl()}/groups/${groupId}`
  if (typeof jobId === 'string') return `${publicUrl()}/jobs/${jobId}`
  if (event === 'test') return `${publicUrl()}/settings`
  return `${publicUrl()}/${event.startsWith('node.') ? 'cluster' : 'admin/health'}`
}

/** A message for people, as plain text. */
export interface Message {
  title: string
  text: string
  url: string
}

/** The message about an event. Names of jobs can contain anything, so it is made visible, and each channel escapes it. */
export function toMessage({ event, data, diagnosis }: Event): Message {
  const url = urlOf({ event, data })
  if (event === 'test') {
    return { title: 'gpuq: test', text: 'Notifications from gpuq arrive here.', url }
  }
  const group = groupDataSchema.safeParse(data)
  if (group.success) return { ...describeGroup(group.data), url }
  const title = notificationEvents[event as NotificationEvent]
  const job = jobDataSchema.safeParse(data)
  if (!job.success) {
    const { node, reason } = clusterDataSchema.safeParse(data).data ?? {}
    return { title: node ? `${title}: ${node}` : title, text: visibleText(reason ?? '', 1000), url }
  }
  const { name, job_id: id, stops_at: stopsAt } = job.data
  const text = diagnosis
    ? explain(diagnosis, job.data)
    : visibleText(textOf(event, stopsAt) ?? reasonText(job.data) ?? '', 1000)
  return { title: `${title}: ${visibleText(name ?? id, 200)}`, text, url }
}

/** Why a job failed, and what its reason says beside that, such as files that were not kept. The lines of a diagnosis are visible text. */
function explain(diagnosis: Diagnosis, job: z.output<typeof jobDataSchema>): string {
  const note = endNote({ reason: job.reason, reason_text: reasonText(job) })
  const lines = summarizeDiagnosis(diagnosis)
  return note === null ? lines : `${lines}\n${visibleText(note, 1000)}`
}

function describeGroup({ group_id: id, name, status, members, counts }: z.output<typeof groupDataSchema>) {
  const title = {
    completed: 'A group completed',
    failed: 'A group ended with failures',
    cancelled: 'A group was cancelled',
  }[status]
  const text = `${counts.completed} of ${members} members completed, ${counts.failed} failed.`
  return { title: `${title}: ${visibleText(name ?? id, 200)}`, text }
}

/** What an event says besides its title; null: the reason of the job. */
function textOf(event: string, stopsAt: string | undefined): string | null {
  if (event === 'job.started') return ''
  if (event === 'job.idle')
    return `gpuq stops it at ${stopsAt} unless it uses them. If it is done, cancel it.`
  if (event === 'job.never_fits')
    return `An admin removed a node, and no other has what the job needs. It ends at ${stopsAt} unless a node fits it until then. You can submit it again with a smaller request.`
  return null
}
