import { isPlainPath } from './config/host-paths'
import { idPattern } from './id-pattern'

/** The directories of projects on shared storage, as the admin set them. */
export interface Workspaces {
  /** A project without its own path has `root/OWNER/PROJECT`; null: it has no directory. */
  root: string | null
  /** Paths of single projects, by `owner/project` with the owner in lower case. */
  paths: ReadonlyMap<string, string>
  /** Paths of the projects with the same name of all owners, by the name: these projects share a directory. */
  shared: ReadonlyMap<string, string>
}

export interface Workspace {
  path: string
  /** True: jobs of users without a uid may run there too, as the owner of the directory. */
  shared: boolean
}

/** Directories that containers use for other purposes. */
const reserved = /^\/(proc|sys|dev|run|job|work|tmp|results|etc|usr|bin|sbin|lib|lib32|lib64|boot|root)(\/|$)/

/**
 * Reads `GPUQ_WORKSPACES`: a list of entries separated by commas, each a root such as `/workspace`, or one project's
 * directory such as `OWNER/PROJECT=/data/thesis`. An asterisk as the owner is the project of this name of every user. No
 * directory may be inside another, because its project would see the files of the other.
 */
export function parseWorkspaces(
  text: string,
): { ok: true; workspaces: Workspaces } | { ok: false; message: string } {
  let root: string | null = null
  const paths = new Map<string, string>()
  const shared = new Map<string, string>()
  for (const entry of text.split(',').map((part) => part.trim())) {
    const at = entry.indexOf('=')
    const path = entry.slice(at + 1)
    const wrong = refusePath(path)
    if (wrong !== null) return { ok: false, message: wrong }
    const everyone = /^\*\/([^/=]+)=/.exec(entry)?.[1]
    if (everyone !== undefined && idPattern.test(everyone)) {
      if (shared.has(everyone)) return { ok: false, message: `*/${everyone} appears twice` }
      shared.set(everyone, path)
      continue
    }
    const project = at === -1 ? null : keyOf(entry.slice(0, at))
    if (at !== -1 && project === null) {
      return { ok: false, message: `"${entry}" must be OWNER/PROJECT=/path or a path` }
    }
    if (project === null && root !== null) return { ok: false, message: 'has several roots: use only one' }
    if (project !== null && paths.has(project)) return { ok: false, message: `${project} appears twice` }
    if (project === null) root = path
    else paths.set(project, path)
  }
  const overlap = findOverlap([...(root === null ? [] : [root]), ...paths.values(), ...shared.values()])
  if (overlap !== null)
    return { ok: false, message: `${overlap[0]} and ${overlap[1]} overlap: use separate directories` }
  return { ok: true, workspaces: { root, paths, shared } }
}

/** The directory that a project's jobs share; null if it has none. */
export function workspaceOf(
  workspaces: Workspaces | undefined,
  { owner, slug }: { owner: string; slug: string },
): Workspace | null {
  if (workspaces === undefined) return null
  const own = workspaces.paths.get(`${owner.toLowerCase()}/${slug}`)
  if (own !== undefined) return { path: own, shared: false }
  const shared = workspaces.shared.get(slug)
  if (shared !== undefined) return { path: shared, shared: true }
  return workspaces.root === null ? null : { path: `${workspaces.root}/${owner}/${slug}`, shared: false }
}

/** The case of letters matters in project ids, but not in user ids. */
function keyOf(text: string): string | null {
  const [owner = '', slug = '', ...more] = text.split('/')
  if (more.length > 0 || !idPattern.test(owner) || !idPattern.test(slug)) return null
  return `${owner.toLowerCase()}/${slug}`
}

function refusePath(path: string): string | null {
  if (!isPlainPath(path)) {
    return `"${path}" must be an absolute path without "..", doubled or trailing slashes`
  }
  return reserved.test(path) ? `containers use ${path} for another purpose: choose another directory` : null
}

function findOverlap(paths: readonly string[]): [string, string] | null {
  for (const [index, one] of paths.entries()) {
    const other = paths.find((path, place) => place !== index && `${path}/`.startsWith(`${one}/`))
    if (other !== undefined) return [one, other]
  }
  return null
}
