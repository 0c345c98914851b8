import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { DryRunQuery } from '@/components/queries/dry-run'
import { ProblemError } from '@/lib/http/client/problem'
import { withoutToken } from '../draft'
import type { Refused } from './refusal'

/** Users type for about this long without a pause. */
const pauseMs = 500

/** What the server says that a submission of the config would do. Both are null while that is not known. */
interface Prospect<Answer> {
  answer: Answer | null
  /** Why it would refuse the draft. */
  refusal: Refused | null
}

/**
 * @param ask what asks the server about a config
 * @param ready whether nothing in the browser speaks against a submission
 * @param submitting whether the draft is being submitted: it could then be refused because of itself
 */
export function useDryRun<Answer>(
  ask: (config: string) => DryRunQuery<Answer>,
  config: string,
  ready: boolean,
  submitting: boolean,
): Prospect<Answer> {
  const settled = useSettled(config)
  const { data, error, isPlaceholderData } = useQuery({
    ...ask(withoutToken(settled)),
    enabled: ready && !submitting && settled === config,
    placeholderData: keepPreviousData,
  })
  if (!ready) return { answer: null, refusal: null }
  if (settled !== config) return { answer: data ?? null, refusal: null }
  if (error instanceof ProblemError && !isPlaceholderData && error.status >= 400 && error.status < 500)
    return { answer: null, refusal: error }
  return { answer: data ?? null, refusal: null }
}

/** The text once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
