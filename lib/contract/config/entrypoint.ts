/** The files that a job with a directory runs if its config names none; the first that exists. */
export const defaultEntrypoints = ['solution.py', 'main.py', 'run.sh'] as const

const runners: Readonly<Record<string, readonly string[]>> = { py: ['python', '-u'], sh: ['/bin/sh'] }

/** The program that runs a file, by the extension of the file; null for another extension. */
export function runnerOf(path: string): readonly string[] | null {
  const extension = /\.([^./]+)$/.exec(path)?.[1] ?? ''
  return Object.hasOwn(runners, extension) ? (runners[extension] ?? null) : null
}

/** How many files a problem lists. */
const mostNamed = 10

/**
 * The file of a directory that a job runs, or a problem: what to change in the key `entrypoint`.
 * @param named the value of the key
 */
export function selectEntrypoint(
  named: string | undefined,
  paths: readonly string[],
): { path: string } | { problem: string } {
  const wanted = named === undefined ? defaultEntrypoints : [named]
  const path = wanted.find((candidate) => paths.includes(candidate))
  if (path !== undefined) return { path }
  const missing =
    named === undefined
      ? `the directory has no ${defaultEntrypoints.join(', ')}: name the file to run, or use the key command`
      : `the directory does not have ${named}`
  return { problem: `${missing}. ${describeFound(paths)}` }
}

/** The files of a directory that can run; those near the top come first. */
export function listRunnable(paths: readonly string[]): string[] {
  return nearTopFirst(paths.filter((path) => runnerOf(path) !== null))
}

function describeFound(paths: readonly string[]): string {
  const runnable = listRunnable(paths)
  const shown = (runnable.length > 0 ? runnable : nearTopFirst(paths)).slice(0, mostNamed)
  const rest = paths.length - shown.length
  return `It has ${shown.join(', ')}${rest > 0 ? ` and ${rest} more files` : ''}`
}

function nearTopFirst(paths: readonly string[]): string[] {
  const depthOf = (path: string) => path.split('/').length
  return paths.toSorted((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))
}
