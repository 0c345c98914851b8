import { type Answer, call } from '@/lib/access/testing/call'
import { queueJobDetailSchema, queueSubmittedSchema } from '@/lib/cluster/queue-schemas'
import { queueSchema } from '@/lib/cluster/schemas'
import { PATCH } from '../[id]/priority/route'
import { DELETE, GET as getJob } from '../[id]/route'
import { GET as getQueue } from '../route'
import { POST } from '../submit/route'

/** The queue API as tests call it. */

export type Who = { token?: string; cookie?: string; headers?: Record<string, string> }

export const submit = (body: unknown, who: Who) =>
  call(POST, '/api/queue/submit', { method: 'POST', body, ...who })

export const readJob = (id: string, who: Who) => call(getJob, `/api/queue/${id}`, { params: { id }, ...who })

export const cancel = (id: string, who: Who) =>
  call(DELETE, `/api/queue/${id}`, { method: 'DELETE', params: { id }, ...who })

export const prioritize = (id: string, body: unknown, who: Who) =>
  call(PATCH, `/api/queue/${id}/priority`, { method: 'PATCH', body, params: { id }, ...who })

export const readQueue = async (who: Who) => queueSchema.parse((await call(getQueue, '/api/queue', who)).body)

export const idOf = (answer: Answer) => queueSubmittedSchema.parse(answer.body).job_id

/** Submits a job that will do, and returns its id. */
export const submitted = async (body: object, who: Who) =>
  idOf(await submit({ command: 'true', ...body }, who))

export const jobOf = async (id: string, who: Who) => queueJobDetailSchema.parse((await readJob(id, who)).body)
