import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { configToYaml } from '@/lib/contract/config/config'
import { hasInterpreter, withUnixLineEnds } from '@/lib/contract/config/program/shell-script'
import { commandFile } from './program/script-program'
import type { MakeTaskHook } from './task-hook'

/** The task's own directory, which its container sees read-only at `/job`. */
export const taskDirectoryOf = (tasksDirectory: string, taskId: string) => join(tasksDirectory, taskId)

/** Writes the program of a task and its settings. */
export const taskDirectory: MakeTaskHook = ({ tasksDirectory }) => ({
  directory: tasksDirectory,
  prestart: async ({ task, container }) => {
    await writeTaskDirectory(container.directory, task)
    return {}
  },
  clear: (taskId) => rm(taskDirectoryOf(tasksDirectory, taskId), { recursive: true, force: true }),
})

/** Writes the files for the container. Idempotent, and a reader never sees a partial file. */
export async function writeTaskDirectory(directory: string, task: ClaimedTask): Promise<void> {
  // Containers see only what is below it.
  await mkdir(dirname(directory), { recursive: true, mode: 0o700 })
  await mkdir(directory, { recursive: true, mode: 0o755 })
  await Promise.all([
    task.code.length > 0 && writeWhole(join(directory, 'solution.py'), task.code),
    task.command !== null &&
      hasInterpreter(task.command) &&
      writeWhole(join(directory, commandFile), withUnixLineEnds(task.command)),
    writeWhole(join(directory, 'config.yaml'), configToYaml(task.spec)),
    task.instances > 1 && writeWhole(join(directory, 'hostfile'), hostfileOf(task)),
  ])
}

/** Processes of a task: one for each of its GPUs, or one without GPUs. */
export const processesOf = (gpuCount: number): number => Math.max(1, gpuCount)

/** The tasks of a multi-node job in the hostfile format of mpirun and deepspeed. */
function hostfileOf({ peers }: Pick<ClaimedTask, 'peers'>): string {
  return peers.map(({ rank, gpuCount }) => `rank-${rank} slots=${processesOf(gpuCount)}\n`).join('')
}

async function writeWhole(path: string, content: Buffer | string): Promise<void> {
  const part = `${path}.part`
  await writeFile(part, content, { mode: 0o644 })
  await rename(part, path)
}
