import * as z from 'zod'

/** A password, typed twice. The error is shown at the second field. */
export const newPasswordSchema = z
  .object({ password: z.string().min(10).max(200), repeated: z.string() })
  .refine(({ password, repeated }) => password === repeated, {
    path: ['repeated'],
    error: 'The passwords do not match.',
  })

/** The same, with the password that it replaces. */
export const changePasswordSchema = newPasswordSchema.safeExtend({ current_password: z.string().min(1) })
