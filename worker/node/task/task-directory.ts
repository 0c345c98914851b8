import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { configToYaml } from '@/lib/contract/config/config'

/** The task's own directory on this host, mounted read-only at `/job`. */
export function taskDirectory(tasksDirectory: string, taskId: string): string {
  return join(tasksDirectory, taskId)
}

/** Lays out what the container reads. Writing it again writes the same, and a reader never sees half a file. */
export async function writeTaskDirectory(directory: string, task: ClaimedTask): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o755 })
  if (task.command === null) await writeWhole(join(directory, 'solution.py'), task.code)
  await writeWhole(join(directory, 'config.yaml'), configToYaml(task.spec))
  if (task.instances > 1) await writeWhole(join(directory, 'hostfile'), hostfileOf(task))
}

/** Processes that a task starts: one for each of its GPUs, and one where it has none. */
export const processesOf = (gpuCount: number): number => Math.max(1, gpuCount)

/** The tasks of a job over several nodes, as mpirun and deepspeed read them. */
function hostfileOf({ peers }: Pick<ClaimedTask, 'peers'>): string {
  return peers.map(({ rank, gpuCount }) => `rank-${rank} slots=${processesOf(gpuCount)}\n`).join('')
}

async function writeWhole(path: string, content: Buffer | string): Promise<void> {
  const part = `${path}.part`
  await writeFile(part, content, { mode: 0o644 })
  await rename(part, path)
}

export async function removeTaskDirectory(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true })
}

/** Ids of the tasks that have a directory here. */
export async function listTaskDirectories(tasksDirectory: string): Promise<string[]> {
  return readdir(tasksDirectory)
}
