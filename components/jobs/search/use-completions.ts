import { useQuery } from '@tanstack/react-query'
import { suggestionsQuery } from '@/components/queries/job-search'
import {
  type Completion,
  type CompletionPoint,
  completeSearch,
  completeWith,
} from '@/lib/contract/search/complete-search'

interface CompletionOptions {
  open: boolean
  everyone: boolean
}

/** What can replace the text at the caret: keys, or values of which the server knows some. */
export function useCompletions(
  text: string,
  caret: number,
  { open, everyone }: CompletionOptions,
): CompletionPoint {
  const point = completeSearch(text, caret, { admin: everyone })
  const { asks } = point
  const { data } = useQuery(
    suggestionsQuery(open && asks ? { ...asks, ...(everyone ? { all: true } : {}) } : null),
  )
  if (!asks || !data) return point
  const typed = asks.text.toLowerCase()
  // The previous answer is shown until the next one arrives.
  const values = data.filter((value) => value.toLowerCase().startsWith(typed))
  const added: Completion[] = values.map((value) => completeWith(asks.key, value))
  return { ...point, completions: [...point.completions, ...added] }
}
