import { z } from 'zod'

/** A password, typed twice: two that differ are refused beside the second. */
export const newPasswordSchema = z
  .object({ password: z.string().min(10).max(200), again: z.string() })
  .refine(({ password, again }) => password === again, {
    path: ['again'],
    error: 'The two passwords differ.',
  })
