import * as z from 'zod'

/** The keys of the nearest request that fits; null: leave the key out. */
export const nearestSchema = z.record(z.string(), z.union([z.string(), z.number(), z.null()]))
