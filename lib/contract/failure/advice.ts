import * as z from 'zod'

/** What to change so that a failed job can succeed. */
export const adviceSchema = z.object({
  title: z.string().describe('why it failed, in a few words'),
  text: z.string().describe('what to change'),
  fix: z
    .union([
      z.object({ key: z.literal('environment'), value: z.string() }),
      z.object({ key: z.enum(['memory_gb', 'max_time', 'gpu_count']), value: z.number() }),
      z.object({ key: z.literal('shell'), value: z.literal('bash') }),
    ])
    .nullable()
    .describe(
      'the key of the config to change, or shell: bash runs the command; null: only you can make the change',
    ),
})

export type Advice = z.infer<typeof adviceSchema>
