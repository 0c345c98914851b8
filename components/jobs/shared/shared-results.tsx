'use client'

import { ResultViewer } from '../result/result-viewer'

/** The results of a job that does not change any more while the page is open. */
export function SharedResults({ results }: { results: readonly unknown[] }) {
  return <ResultViewer results={results} live={false} />
}
