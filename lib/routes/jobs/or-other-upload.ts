import type { Actor } from '../../access/actor'
import { GpuqError } from '../../contract/errors'
import { uploadKinds } from '../features'

/**
 * Answers a request for a job. If there is no such job, the id may be that of something else that an upload has made: clients that
 * submitted it ask for it as for a job.
 * @param other what answers then: a JSON body, or a complete response
 * @throws what `ofJob` throws, if there is neither.
 */
export async function orOtherUpload<T>(
  actor: Actor,
  ofJob: () => Promise<T>,
  other: (kind: (typeof uploadKinds)[number]) => Promise<object>,
): Promise<T | Response> {
  try {
    return await ofJob()
  } catch (error) {
    if (!isNotFound(error) || actor.restriction !== null) throw error
    for (const kind of uploadKinds) {
      const body = await other(kind).catch((reason: unknown) => {
        if (isNotFound(reason)) return null
        throw reason
      })
      if (body instanceof Response) return body
      if (body !== null) return Response.json(body, { headers: { 'cache-control': 'no-store' } })
    }
    throw error
  }
}

const isNotFound = (error: unknown) => error instanceof GpuqError && error.code === 'not_found'
