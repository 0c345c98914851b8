import * as z from 'zod'

/** Query of the operations on a job's terminal. */
export const terminalQuerySchema = z.object({
  rank: z.coerce.number().int().min(0).max(7).default(0).describe('task of a job on several nodes'),
})

/** `POST /api/jobs/ID/terminal/size`. */
export const terminalSizeSchema = z.strictObject({
  columns: z.int().min(1).max(1000),
  rows: z.int().min(1).max(1000),
})

export type TerminalSize = z.infer<typeof terminalSizeSchema>
