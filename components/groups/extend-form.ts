import * as z from 'zod'

const number = z.string().transform(Number).pipe(z.int('Enter a whole number.'))

/** The fields of the form that extends a group. The server knows how many members it may have. */
export const extendFormSchema = z.object({ samples: number, repeat: number })
