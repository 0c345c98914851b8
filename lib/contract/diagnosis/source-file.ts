import type { JobFiles } from '../job-files'

/** A path as the user knows it: relative to the directory of the job, if it is in there. */
export function displayPath(file: string): string {
  return file.replace(/^(?:\.\/)+/, '').replace(/^\/(?:job|work)\/(?=.)/, '')
}

/** The file of the job that contains a line: solution.py, or a file of the uploaded directory; null: none. */
export function findSourceFile({ file }: { file: string }, files: JobFiles['files']): string | null {
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
