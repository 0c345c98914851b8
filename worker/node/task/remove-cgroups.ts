import { readdir, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Where the hierarchies of cgroup v1 are mounted. */
const mounts = '/sys/fs/cgroup'

/**
 * Removes the cgroups of a Slurm step, and of its job, where they are empty. With cgroup v1, the engine of a container below them
 * creates them in every hierarchy, and Slurm removes only those that it made itself. Never rejects.
 * @param step its path in each hierarchy
 */
export async function removeEmptyCgroups(step: string): Promise<void> {
  for (const hierarchy of await readdir(mounts).catch(() => [])) {
    // Fails if Slurm or another container still uses it.
    for (const group of [step, dirname(step)]) await rmdir(join(mounts, hierarchy, group)).catch(() => {})
  }
}
