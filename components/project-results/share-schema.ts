import * as z from 'zod'
import { linkLifetimes } from '../shares/link-lifetimes'
import { optionalText } from '../shell/form-values'

/** The form of a link to results, which loads this when it is submitted: zod is large. */
export const shareResultsSchema = z.object({
  title: optionalText(100),
  days: z.enum(linkLifetimes.map(({ value }) => value)),
  columns: z.array(z.string()).min(1, 'Choose at least one column.'),
})

export type ShareResultsValues = z.input<typeof shareResultsSchema>
