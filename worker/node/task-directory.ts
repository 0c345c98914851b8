import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClaimedTask } from '@/lib/cluster/tasks'
import { configToYaml } from '@/lib/jobs/config'

/** The task's own directory on this host, mounted read-only at `/job`. */
export function taskDirectory(tasksDirectory: string, taskId: string): string {
  return join(tasksDirectory, taskId)
}

/** Lays out what the container reads. Writing it again writes the same. */
export async function writeTaskDirectory(directory: string, task: ClaimedTask): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o755 })
  await writeFile(join(directory, 'solution.py'), task.code, { mode: 0o644 })
  await writeFile(join(directory, 'config.yaml'), configToYaml(task.spec), { mode: 0o644 })
}

export async function removeTaskDirectory(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true })
}
