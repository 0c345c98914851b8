import * as z from 'zod'
import { adviceSchema, diagnosisSchema } from './diagnosis/diagnosis'
import { nearestSchema } from './submission/nearest-schema'

/** The fields of a job about an end that gpuq announces, and about what to do after a failure. */
export const jobEnds = {
  idle_gpu: z
    .object({
      since: z.string(),
      stops_at: z.string().describe('when gpuq stops the job unless one of its GPUs has a load'),
    })
    .nullable()
    .default(null)
    .describe('a warning: none of its GPUs had a load since this time; null: no warning'),
  never_fits_ends_at: z
    .string()
    .nullable()
    .default(null)
    .describe(
      'when gpuq takes it from the queue, because an admin removed the node that fitted it; null: never',
    ),
  nearest: nearestSchema
    .nullable()
    .optional()
    .describe(
      'for a waiting job that cannot start: the keys of the nearest request that fits, null for a key to leave out; null: there is none; absent in live events',
    ),
  diagnosis: diagnosisSchema
    .nullable()
    .optional()
    .describe(
      'why the job failed, left no result, or cannot start before a quota, a budget or its request changes; null: nothing is known to be wrong; absent in live events',
    ),
  advice: adviceSchema
    .nullable()
    .optional()
    .describe(
      'the short form of the diagnosis of a failed job: what to change; null: not known; absent in live events',
    ),
}
