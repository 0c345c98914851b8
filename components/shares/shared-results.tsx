'use client'

import { useMemo } from 'react'
import { ResultViewer } from '../jobs/result/result-viewer'
import { type ShownResult, toShownResult } from '../jobs/result/shown-result'

interface SharedResultsProps {
  results: readonly ShownResult[]
  /** The job may print more. */
  live?: boolean
}

/** The results of a job. */
export function SharedResults({ results, live = false }: SharedResultsProps) {
  return <ResultViewer results={results} live={live} />
}

/** Results that the server has read. @param results the JSON of each, as it was printed */
export function StoredResults({ results }: { results: readonly string[] }) {
  const shown = useMemo(() => results.flatMap((json) => toShownResult(json) ?? []), [results])
  return <SharedResults results={shown} />
}
