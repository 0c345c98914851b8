import { workdirCapacity } from '@/lib/archives/workdir-capacity'
import type { TaskContainer } from '../runtime'

const MiB = 1024 * 1024

/** The directories of the host that a task sees. */
export function mounts(task: TaskContainer) {
  const {
    directory,
    results,
    work,
    places,
    workspace,
    workingDirectory,
    checkpoints,
    mounts: snapshots,
  } = task
  const bind = (Source: string, Target: string, options = {}) => ({
    Type: 'bind' as const,
    Source,
    Target,
    ReadOnly: false,
    BindOptions: { Propagation: 'rprivate' as const, ...options },
  })
  const shared = { NonRecursive: true }
  const { mounts: fromHost = [] } = workspace ?? {}
  return [
    { ...bind(directory, '/job'), ReadOnly: true },
    // A size-limited file system, which outlives the container until its files are stored.
    ...(results === null
      ? []
      : [bind(results, '/results'), ...(places ? [bind(results, places.results)] : [])]),
    ...(work === undefined ? [] : [bind(work, '/work'), ...(places ? [bind(work, places.work)] : [])]),
    ...fromHost.map(({ source, target, readOnly, recursive }) => ({
      ...bind(source, target, recursive ? {} : shared),
      ReadOnly: readOnly,
    })),
    ...(workingDirectory?.home
      ? [{ ...bind(workingDirectory.home.source, workingDirectory.home.path, shared), ReadOnly: true }]
      : []),
    ...(workingDirectory === null ? [] : [bind(workingDirectory.source, workingDirectory.path)]),
    ...(checkpoints === null ? [] : [bind(checkpoints.path, '/checkpoints', shared)]),
    // The engine has no option for `nosuid` and `nodev`. The cache has neither such programs nor devices.
    ...snapshots.map(({ source, path }) => ({ ...bind(source, path, shared), ReadOnly: true })),
  ]
}

/** Maximum number of files and directories in /work. */
export const maxWorkEntries = 131_072

export const sharedMemoryBytes = (task: TaskContainer) => Math.floor((task.memoryMib * MiB) / 2)

/**
 * All writable paths of a task, each limited in size and number of files. They are in memory and count towards the
 * task's limit. /work and /tmp allow execution, because torch.compile and Triton load programs that they compiled
 * there.
 * @param volumes the paths that the image declares as volumes.
 */
export function writablePaths(
  task: TaskContainer,
  { uid, gid }: { uid: number; gid: number },
  volumes: readonly string[],
): Record<string, string> {
  const bytes = task.memoryMib * MiB
  const own = `mode=0700,uid=${uid},gid=${gid}`
  const tmpfs = (size: number, inodes: number, rest: string) =>
    `rw,nosuid,nodev,${rest},size=${Math.floor(size)},nr_inodes=${inodes}`
  const { results, work, places, workspace, workingDirectory, checkpoints } = task
  const mounted = new Set([
    '/job',
    ...(results === null ? [] : ['/results', ...(places ? [places.results] : [])]),
    ...(work === undefined ? [] : ['/work', ...(places ? [places.work] : [])]),
    ...(workspace?.mounts.map(({ target }) => target) ?? []),
    ...(workingDirectory ? [workingDirectory.path] : []),
    ...(checkpoints ? ['/checkpoints'] : []),
    ...task.mounts.map(({ path }) => path),
  ])
  const workSpace = tmpfs(workdirCapacity(task.memoryMib), maxWorkEntries, `exec,${own}`)
  const paths = {
    ...Object.fromEntries(volumes.map((path) => [path, tmpfs(bytes / 4, 32_768, `noexec,${own}`)])),
    '/work': workSpace,
    ...(places ? { [places.work]: workSpace } : {}),
    // The engine replaces the mode by that of the image's directory, so the task's user is the owner.
    '/tmp': tmpfs(bytes / 4, 32_768, `exec,mode=1777,uid=${uid},gid=${gid}`),
    '/dev/shm': tmpfs(sharedMemoryBytes(task), 32_768, 'noexec,mode=1777'),
    ...Object.fromEntries((workspace?.hidden ?? []).map((path) => [path, 'ro,size=4096,mode=0000'])),
  }
  return Object.fromEntries(Object.entries(paths).filter(([path]) => !mounted.has(path)))
}
