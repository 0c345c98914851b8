import type { MakeTaskHook } from '../node/task/task-hook'
import { findWorkspace } from './workspace'

/** Gives a task the shared directory of its project, unless it already works in a directory of the host. */
export const workspaces: MakeTaskHook = () => ({
  prestart: async ({ task, container }) =>
    container.workspace === null ? { workspace: await findWorkspace(task) } : {},
})
