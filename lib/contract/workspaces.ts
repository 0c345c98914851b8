import { idPattern } from './jobs'

/** Which projects have a directory on shared storage, as the admin maps them. */
export interface Workspaces {
  /** Every project without a path of its own has `root/OWNER/PROJECT`; null: it has none. */
  root: string | null
  /** Paths of single projects, by `owner/project` with the owner in small letters. */
  paths: ReadonlyMap<string, string>
}

/** What a container has places of its own for: nothing else may be put there. */
const taken = /^\/(proc|sys|dev|run|job|work|tmp|results|etc|usr|bin|sbin|lib|lib32|lib64|boot|root)(\/|$)/

/**
 * Reads `GPUQ_WORKSPACES`: entries with commas between them, each a root such as `/workspace` or one project's directory,
 * as in `OWNER/PROJECT=/data/thesis`. No directory may lie within another: its project would see the other's.
 */
export function parseWorkspaces(
  text: string,
): { ok: true; workspaces: Workspaces } | { ok: false; message: string } {
  let root: string | null = null
  const paths = new Map<string, string>()
  for (const entry of text.split(',').map((part) => part.trim())) {
    const at = entry.indexOf('=')
    const path = entry.slice(at + 1)
    const wrong = refusePath(path)
    if (wrong !== null) return { ok: false, message: wrong }
    const project = at === -1 ? null : keyOf(entry.slice(0, at))
    if (at !== -1 && project === null) {
      return { ok: false, message: `"${entry}" must read OWNER/PROJECT=/path, or be a path alone` }
    }
    if (project === null && root !== null) return { ok: false, message: 'name one root, not several' }
    if (project !== null && paths.has(project)) return { ok: false, message: `${project} is there twice` }
    if (project === null) root = path
    else paths.set(project, path)
  }
  const overlap = findOverlap([...(root === null ? [] : [root]), ...paths.values()])
  if (overlap !== null) return { ok: false, message: `${overlap[0]} and ${overlap[1]} lie within each other` }
  return { ok: true, workspaces: { root, paths } }
}

/** The directory that a project's jobs share; null where it has none. */
export function workspaceOf(
  workspaces: Workspaces | undefined,
  project: { owner: string; slug: string },
): string | null {
  if (workspaces === undefined) return null
  const { owner, slug } = project
  const own = workspaces.paths.get(`${owner.toLowerCase()}/${slug}`)
  return own ?? (workspaces.root === null ? null : `${workspaces.root}/${owner}/${slug}`)
}

/** Handles are the same in capital and small letters, names of projects are not. */
function keyOf(text: string): string | null {
  const [owner = '', slug = '', ...more] = text.split('/')
  if (more.length > 0 || !idPattern.test(owner) || !idPattern.test(slug)) return null
  return `${owner.toLowerCase()}/${slug}`
}

function refusePath(path: string): string | null {
  if (!/^(\/[^/\p{Cc}]+)+$/u.test(path) || /\/\.{1,2}(\/|$)/.test(path)) {
    return `"${path}" must be an absolute path without "..", doubled or trailing slashes`
  }
  return taken.test(path) ? `${path} is a place that every container has for something else` : null
}

function findOverlap(paths: readonly string[]): [string, string] | null {
  for (const [index, one] of paths.entries()) {
    const other = paths.find((path, place) => place !== index && `${path}/`.startsWith(`${one}/`))
    if (other !== undefined) return [one, other]
  }
  return null
}
