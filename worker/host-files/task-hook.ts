import type { MakeTaskHook } from '../node/task/task-hook'
import { argumentsOf } from '../node/task/to-container-spec'
import { findHostFiles } from './host-files'
import { hostProgram } from './host-program'

/** Runs a script of this host in its own directory. */
export const hostFiles: MakeTaskHook = ({ runtime }) => ({
  prestart: async ({ task }) => {
    const { host_script: script, conda_prefix: prefix } = task.spec
    if (script === undefined) return {}
    const workspace = await findHostFiles({ script, prefix }, () => runtime.facts.usesRootless())
    return { workspace, command: [...hostProgram(script, prefix), ...argumentsOf(task)] }
  },
})
