import type { Actor } from '../access/actor'
import { renewActor } from '../access/credential-validity'
import { findManagedClass } from '../access/projects/managed-class'
import { toCell } from '../contract/text/csv-cell'
import { database } from '../database/client'
import { contentDisposition } from '../jobs/downloads/content-disposition'
import type { ParticipantsQuery } from './contract'
import { readParticipants } from './read-participants'

/** The members of a class with their jobs as CSV. */
export async function downloadParticipants(
  actor: Actor,
  classId: string,
  query: ParticipantsQuery,
): Promise<Response> {
  const { participants } = await readParticipants(actor, classId, query)
  const { slug } = await findManagedClass(database().pool, actor, classId)
  const { metric } = query
  const ofMetric = metric === undefined ? [] : [`${query.best} ${metric}`, 'best_job']
  const head = [
    'user_id',
    'name',
    'manager',
    'agreed',
    'jobs',
    'gpu_hours',
    'last_job',
    'last_job_name',
    'last_job_status',
    'last_job_created_at',
    ...ofMetric,
  ]
  const lines = participants.map(
    ({ user_id, name, manager, agreed, jobs, gpu_hours, last_job: last, best }) => [
      user_id,
      name,
      manager,
      agreed,
      jobs,
      gpu_hours,
      last?.job_id,
      last?.name,
      last?.status,
      last?.created_at,
      ...(metric === undefined ? [] : [best?.value, best?.job_id]),
    ],
  )
  return contentDisposition(toBytes([head, ...lines]), {
    name: `${slug}-participants.csv`,
    type: 'text/csv; charset=utf-8',
    mayRead: () => stillManages(actor, classId),
  })
}

async function stillManages(actor: Actor, classId: string): Promise<boolean> {
  const current = await renewActor(actor)
  if (current === null) return false
  return findManagedClass(database().pool, current, classId).then(
    () => true,
    () => false,
  )
}

type Value = string | number | boolean | null | undefined

/** A number is written as it is: only a text can be a formula. */
const toText = (value: Value) => (typeof value === 'string' ? toCell(value) : String(value ?? ''))

async function* toBytes(lines: readonly (readonly Value[])[]): AsyncGenerator<Buffer> {
  yield Buffer.from(`${lines.map((cells) => cells.map(toText).join(',')).join('\r\n')}\r\n`)
}
