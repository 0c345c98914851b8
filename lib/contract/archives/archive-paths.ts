/** Maximum length of a path and of a name in it, in bytes of UTF-8, as in most file systems. */
export const maxPathBytes = 1024
const maxNameBytes = 255

const encoder = new TextEncoder()

/**
 * Why a path cannot be in an uploaded directory; null if it can. Paths are relative and have no `.` or `..`, so they
 * cannot leave the directory.
 */
export function refusePath(path: string): string | null {
  if (path === '') return 'is empty'
  if (/\p{Surrogate}|\ufffd/u.test(path)) return 'is not UTF-8'
  if (/\p{Cc}/u.test(path)) return 'holds a control character'
  if (path.includes('\\')) return 'holds a backslash'
  if (path.startsWith('/')) return 'is absolute'
  if (encoder.encode(path).length > maxPathBytes) return `is longer than ${maxPathBytes} bytes`
  for (const name of path.split('/')) {
    if (name === '') return 'has two slashes in a row, or ends with one'
    if (name === '.' || name === '..') return `holds "${name}"`
    if (encoder.encode(name).length > maxNameBytes) return `holds a name longer than ${maxNameBytes} bytes`
  }
  return null
}

/**
 * Why a link at `path` cannot be in an uploaded directory; null if its target is inside, even if it does not exist. `..`
 * is allowed only at the beginning: after a name, which may be a link, it could leave the directory.
 */
export function refuseLink(path: string, target: string): string | null {
  if (target.startsWith('/')) return 'leads to an absolute path'
  if (encoder.encode(target).length > maxPathBytes) return 'has a target that is too long'
  // `./x`, `x/` and `x//y` are other ways to write `x` and `x/y`.
  const names = target.split('/').filter((name) => name !== '' && name !== '.')
  const away = names.findIndex((name) => name !== '..')
  const climbs = away === -1 ? names.length : away
  if (climbs > path.split('/').length - 1) return 'leads out of the directory'
  if (away === -1) return target === '' ? 'leads nowhere' : null
  const why = refusePath(names.slice(climbs).join('/'))
  return why === null ? null : `has a target that ${why}`
}

/**
 * The path of an archive's entry: its name without `./` at the start and `/` at the end. Null: the top directory itself. The
 * path may be refused by `refusePath`.
 */
export function pathOfEntryName(name: string): string | null {
  const path = name.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '')
  if (path === '.' || (path === '' && /^\.?\/$/.test(name))) return null
  // A name of slashes only is not the top directory but the root.
  return path === '' ? name : path
}
