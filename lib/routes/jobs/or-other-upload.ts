import type { Actor } from '../../access/actor'
import { GpuqError } from '../../contract/errors'
import { uploadKind } from '../features'

/**
 * Answers a request for a job. If there is no such job, the id may be that of something else that an upload has made: clients that
 * submitted it ask for it as for a job.
 * @param other what answers then
 * @throws what `ofJob` throws, if there is neither.
 */
export async function orOtherUpload<T>(
  actor: Actor,
  ofJob: () => Promise<T>,
  other: (kind: typeof uploadKind) => Promise<unknown>,
): Promise<T | Response> {
  try {
    return await ofJob()
  } catch (error) {
    if (!isNotFound(error) || actor.restriction !== null) throw error
    const body = await other(uploadKind).catch((reason: unknown) => {
      throw isNotFound(reason) ? error : reason
    })
    return Response.json(body, { headers: { 'cache-control': 'no-store' } })
  }
}

const isNotFound = (error: unknown) => error instanceof GpuqError && error.code === 'not_found'
