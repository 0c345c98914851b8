import * as z from 'zod'
import { idSchema } from '@/lib/contract/jobs'
import { optionalText } from '../shell/form-values'

/* The forms of a board, which load this when they are submitted: zod is large. */

export const boardSchema = z.object({
  metric: z.string().trim().min(1, 'Enter the name of a metric that the jobs print.').max(128),
  goal: z.enum(['min', 'max']),
  competition_id: optionalText(64).pipe(idSchema.nullable()),
})

export const ownRowSchema = z.object({ name: optionalText(60), hidden: z.boolean() })

export type BoardValues = z.input<typeof boardSchema>
