/** The ids of the elements that show the problems of a directory. */
export const entrypointId = 'entrypoint'
export const problemsId = 'directory-problems'

/** Focuses the first problem of the directory. Returns whether there is one. */
export function focusDirectoryProblem(): boolean {
  const entrypoint = document.getElementById(entrypointId)
  const isInvalid = entrypoint?.getAttribute('aria-invalid') === 'true'
  const problem = document.getElementById(problemsId) ?? (isInvalid ? entrypoint : null)
  problem?.focus()
  return problem !== null
}
