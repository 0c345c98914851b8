import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { commandOf } from '../node/task/to-container-spec'
import { copyMarker } from './copy-marker'
import { uploadedDirectory } from './prepare-archive'

/** Whether files are copied before the program starts: uploaded ones, or those of earlier attempts in a working directory. */
export function copiesFiles({ spec }: Pick<ClaimedTask, 'spec'>): boolean {
  return spec.archive !== undefined || spec.working_directory !== undefined
}

/**
 * Copies the files to the directory where the program starts, then executes it. Keeps links as links, and makes the task the
 * owner of every file. An uploaded program is copied to the same place, where it finds its modules and data.
 * @param command runs the program of a task without an uploaded directory.
 * @param work the directory of a task that has chosen no other one.
 */
export function copyingCommand(task: ClaimedTask, command: string[], work = '/work'): string[] {
  const { archive, working_directory: start = work } = task.spec
  const hasUpload = archive !== undefined
  const steps = [
    `cp -R /job/${uploadedDirectory}/. "$1"/`,
    ...(hasUpload && task.code.length > 0 ? ['rm -rf "$1"/solution.py', 'cp /job/solution.py "$1"/'] : []),
    `rm -f "$1"/${copyMarker}`,
    'shift',
    'exec "$@"',
  ]
  const program = hasUpload ? commandOf(task, start) : command
  return ['/bin/sh', '-c', steps.join(' && '), 'gpuq', start, ...program]
}
