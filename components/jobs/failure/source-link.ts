import type { CodeLocation } from '@/lib/contract/failure/parse-traceback'
import type { JobFiles } from '@/lib/contract/job-files'

/** The file of the Source tab that contains a line: solution.py, or a file of the uploaded directory; null: none. */
export function findSourceFile({ file }: CodeLocation, files: JobFiles['files']): string | null {
  const path = file.replace(/^(?:\.\/)+/, '')
  const paths = (files ?? []).filter(({ target }) => target === null).map((own) => own.path)
  // Python names an absolute path: the directory may be anywhere.
  const found = paths
    .filter((own) => path === own || path.endsWith(`/${own}`))
    .sort((a, b) => b.length - a.length)
  if (found[0] !== undefined && path !== '/job/solution.py') return found[0]
  return path === '/job/solution.py' || path === 'solution.py' || path === '/work/solution.py'
    ? 'solution.py'
    : null
}

/** The query of the Source tab at a line. */
export function sourceQuery(file: string, line: number): URLSearchParams {
  return new URLSearchParams({ tab: 'source', file, line: String(line) })
}
