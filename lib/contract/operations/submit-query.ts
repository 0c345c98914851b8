import { z } from 'zod'
import { GpuqError } from '../errors'

/** Query parameters of both ways to submit a job. A wrong value is a 400, which these operations always answered. */

/** Whether a job of the same content may take the place of what is submitted: `?deduplicate=true`. */
export const deduplicateQuery = z
  .string()
  .transform((text) => {
    if (text === 'false') return false
    if (text === 'true' || text === '') return true
    throw new GpuqError('invalid_request', 'deduplicate is "true" or "false".')
  })
  .optional()
  .describe('true: where your job of the same content is alive or has completed, that job is the answer')

/** How many seconds to wait for the result. Infinity: as long as the server does. */
export const waitQuery = z
  .string()
  .transform((text) => {
    if (text === 'false') return 0
    if (text === 'true' || text === '') return Number.POSITIVE_INFINITY
    if (/^\d{1,9}$/.test(text)) return Number(text)
    throw new GpuqError('invalid_request', 'wait is "true", "false", or a number of seconds.')
  })
  .optional()
  .describe('"false": answer at once; a number: wait that many seconds')
