import type { MakeTaskHook } from '../node/task/task-hook'
import { copiesFiles, copyingCommand } from './copying-command'
import { prepareArchive } from './prepare-archive'

/** Gives a task its uploaded directory. */
export const archives: MakeTaskHook = () => ({
  prestart: async ({ task, container, stopping }) => {
    if (task.spec.archive !== undefined) await prepareArchive(container.directory, task, stopping)
    return copiesFiles(task)
      ? { command: copyingCommand(task, container.command, container.places?.work) }
      : {}
  },
})
