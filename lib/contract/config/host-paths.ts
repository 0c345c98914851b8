/** Rules for paths of the host that containers mount at the same place. */

/** Whether a path is absolute, without `..`, doubled or trailing slashes and control characters. */
export function isPlainPath(path: string): boolean {
  return /^(\/[^/\p{Cc}]+)+$/u.test(path) && !/\/\.{1,2}(\/|$)/.test(path)
}

/**
 * Directories that the image or gpuq provides in a container. A directory of the host at the same place would hide them.
 * Own directories below /usr/local, /usr/share and /usr/src hide nothing.
 */
const reserved = [
  /^\/(proc|sys|dev|run|job|results|checkpoints|etc|s?bin|lib(32|64|x32|exec)?|boot|var\/(run|lock))(\/|$)/,
  /^\/(var|usr(\/[^/]+)?)$/,
  /^\/usr\/(s?bin|lib(32|64|x32|exec)?|include)\//,
  /^\/usr\/local\/(s?bin|lib(32|64|x32|exec)?|include|share|etc)(\/|$)/,
]

/** Why a directory of the host cannot be mounted at its own path; null: it can. */
export function refuseHostDirectory(path: string): string | null {
  if (!isPlainPath(path)) return `${path} is not a directory that a container can have`
  const hides = reserved.some((pattern) => pattern.test(path))
  return hides ? `a container needs ${path} for its own files` : null
}
