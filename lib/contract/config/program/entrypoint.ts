/** The files that a job with a directory runs if its config names none; the first that exists. */
export const defaultEntrypoints = ['solution.py', 'main.py', 'run.sh'] as const

const languages: Readonly<Record<string, 'python' | 'shell'>> = { py: 'python', sh: 'shell' }

/** The language of a file that a job can run, by its extension; null for another one. */
export function languageOf(path: string): 'python' | 'shell' | null {
  const extension = /\.([^./]+)$/.exec(path)?.[1] ?? ''
  return Object.hasOwn(languages, extension) ? (languages[extension] ?? null) : null
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
  return nearTopFirst(paths.filter((path) => languageOf(path) !== null))
}

function describeFound(paths: readonly string[]): string {
  const runnable = listRunnable(paths)
  const shown = (runnable.length > 0 ? runnable : nearTopFirst(paths)).slice(0, mostNamed)
  const rest = paths.length - shown.length
  const found = `It has ${shown.join(', ')}${rest > 0 ? ` and ${rest} more files` : ''}`
  const hint = runnable.length > 0 ? undefined : hints.find(({ of }) => paths.some((path) => of.test(path)))
  return hint === undefined ? found : `${found}. ${hint.text}`
}

/** What to do with files that are no programs, but contain one. */
const hints = [
  { of: /\.ipynb$/i, text: 'A notebook is no program: convert it with `jupyter nbconvert --to script`' },
  {
    of: /\.(zip|tar|tgz|tar\.gz)$/i,
    text: 'An archive in a directory is not unpacked: send it instead of the directory (-F "archive=@FILE"), or unpack it',
  },
]

function nearTopFirst(paths: readonly string[]): string[] {
  const depthOf = (path: string) => path.split('/').length
  return paths.toSorted((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))
}
