import { type Answer, call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { makeJob } from '../../cluster/testing/rows'
import { queueSchema } from '../../contract/cluster/cluster'
import { queueJobDetailSchema, queueSubmittedSchema } from '../../contract/queue'
import { database } from '../../database/client'
import { queueRoutes } from '../queue/queue'

/** Calls the queue API. */

export type Who = { token?: string; cookie?: string; headers?: Record<string, string> }

export const submit = (body: unknown, who: Who) =>
  call(queueRoutes.submit, '/api/queue/submit', { method: 'POST', body, ...who })

export const readJob = (id: string, who: Who) =>
  call(queueRoutes.get, `/api/queue/${id}`, { params: { id }, ...who })

export const cancel = (id: string, who: Who) =>
  call(queueRoutes.cancel, `/api/queue/${id}`, { method: 'DELETE', params: { id }, ...who })

export const prioritize = (id: string, body: unknown, who: Who) =>
  call(queueRoutes.setPriority, `/api/queue/${id}/priority`, {
    method: 'PATCH',
    body,
    params: { id },
    ...who,
  })

export const readQueue = async (who: Who) =>
  queueSchema.parse((await call(queueRoutes.list, '/api/queue', who)).body)

export const idOf = (answer: Answer) => queueSubmittedSchema.parse(answer.body).job_id

/** Submits a valid job and returns its id. */
export const submitted = async (body: object, who: Who) =>
  idOf(await submit({ command: 'true', ...body }, who))

export const jobOf = async (id: string, who: Who) => queueJobDetailSchema.parse((await readJob(id, who)).body)

/** Creates an admin and two researchers without limits, and an environment. */
export async function makePeople(): Promise<[admin: Person, ada: Person, bob: Person]> {
  const { pool } = database()
  const people: [Person, Person, Person] = [await makePerson('admin'), await makePerson(), await makePerson()]
  await pool.query(
    `UPDATE users SET submissions_per_minute = 100000, max_active_jobs = 100000, job_limits = '{"max_priority": 100}'`,
  )
  // The first job creates an environment.
  await pool.query('DELETE FROM jobs WHERE id = $1', [await makeJob()])
  return people
}

/** The events of an action in the audit log, oldest first. */
export async function audited(action: string): Promise<unknown[]> {
  const { rows } = await database().pool.query(
    'SELECT target, detail FROM audit_events WHERE action = $1 ORDER BY at',
    [action],
  )
  return rows
}
