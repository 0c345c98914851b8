import { useMemo } from 'react'
import { onDemand, useOnDemand } from '@/components/ui/on-demand'
import type { Problem } from '../problem'

const checker = onDemand(() => import('./check-python').catch(() => null))
const noProblems: readonly Problem[] = []

/** The syntax errors of a program, as warnings. The parser is loaded with the first program that is not empty. */
export function usePythonProblems(code: string): readonly Problem[] {
  const loaded = useOnDemand(checker, code.trim() !== '')
  return useMemo(() => loaded?.checkPython(code) ?? noProblems, [loaded, code])
}
