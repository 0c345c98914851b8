import * as z from 'zod'
import type { Group } from '@/lib/groups/contract'

/** Empty keeps the number. */
const number = z
  .string()
  .trim()
  .transform((text) => (text === '' ? null : Number(text)))
  .pipe(z.int('Enter a whole number.').nullable())

/** The form that extends a group. The server knows how many members it may have. */
export function extendFormSchema({ samples, repeat }: Pick<Group, 'samples' | 'repeat'>) {
  return z.object({ samples: number, repeat: number }).superRefine((given, context) => {
    if ((given.samples ?? 0) > (samples ?? 0) || (given.repeat ?? 0) > repeat) return
    const [field, present] = samples === null ? ['repeat', repeat] : ['samples', samples]
    context.addIssue({ code: 'custom', path: [field], message: `Enter more than ${present}.` })
  })
}
