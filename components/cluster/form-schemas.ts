import * as z from 'zod'
import { numberText } from '../shell/form-values'

/* The schemas of the forms of the cluster page, which load them when they are submitted: zod is large. */

export const pauseSchema = z.object({ reason: z.string().trim().max(200) })

export const prioritySchema = z.object({ priority: numberText({ min: -100, max: 100, whole: true }) })

export const simulateSchema = z.object({
  node_count: numberText({ min: 0, max: 64, whole: true }),
  gpus_per_node: numberText({ min: 1, max: 16, whole: true }),
})
