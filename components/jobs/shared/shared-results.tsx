'use client'

import { ResultViewer } from '../result/result-viewer'

interface SharedResultsProps {
  results: readonly unknown[]
  /** The job may print more. */
  live?: boolean
}

/** The results of a job. */
export function SharedResults({ results, live = false }: SharedResultsProps) {
  return <ResultViewer results={results} live={live} />
}
