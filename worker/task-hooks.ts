import type { Env } from '@/lib/env'
import { logger } from '@/lib/logger'
import { archives } from './archives/task-hook'
import { artifactsUnavailableReason } from './artifacts/artifacts-directory'
import { artifacts } from './artifacts/task-hook'
import { closeRuns } from './checkpoints/run-directory'
import { checkpoints } from './checkpoints/task-hook'
import type { CheckpointSettings } from './checkpoints/watch-checkpoints'
import { hostFiles } from './host-files/task-hook'
import { taskDirectory } from './node/task/task-directory'
import type { MakeTaskHook } from './node/task/task-hook'
import { checkSettings } from './node-checks/check-node'
import { nodeChecks } from './node-checks/node-checker'
import type { SnapshotCache } from './snapshots/snapshot-cache'
import { snapshots } from './snapshots/task-hook'
import { terminal } from './terminal/task-hook'
import type { WarmLimits } from './warm/plan-warm'
import { warmContainers } from './warm/task-hook'
import { workingFiles } from './working-files/task-hook'
import { workspaces } from './workspaces/task-hook'

/** The settings of the features that have hooks. */
export interface TaskHookSettings {
  /** Maximum bytes of a task's /results; null: files are not kept on this node. */
  resultsLimitBytes: number | null
  checkpoints: CheckpointSettings
  /** The snapshots that jobs of this machine mount. */
  snapshots: SnapshotCache
  /** How many warm containers each node keeps. */
  warmLimits: WarmLimits
}

/**
 * Prepares what the features need of this machine, before its first node.
 * @param runs the shared directory of checkpoints; null: there is none.
 * @returns why this machine cannot keep the files of /results; null: it can, or does not want to.
 */
export async function prepareMachine(machine: {
  name: string
  tasksDirectory: string
  runs: string | null
  wantsArtifacts: boolean
}): Promise<string | null> {
  const { name, tasksDirectory, runs, wantsArtifacts } = machine
  if (runs !== null) for (const problem of await closeRuns(runs)) logger.warn(problem)
  return wantsArtifacts ? artifactsUnavailableReason(tasksDirectory, name) : null
}

/** The features that take part in the life of a task, in the order of their calls. */
export function makeTaskHooks(settings: TaskHookSettings): MakeTaskHook[] {
  const { resultsLimitBytes } = settings
  return [
    // They decide who the user of the task is, and which directories of the host it sees.
    hostFiles,
    workspaces,
    // Before anything is written: a warm container brings the task's directory with it.
    warmContainers(settings.warmLimits, resultsLimitBytes),
    taskDirectory,
    snapshots(settings.snapshots),
    archives,
    checkpoints(settings.checkpoints),
    // After the user of the task is known, who owns the files.
    artifacts(resultsLimitBytes),
    workingFiles,
    terminal,
  ]
}

/** The features that only the node of this machine has: its simulated nodes are parts of it. */
export function makeMachineHooks(settings: Env): MakeTaskHook[] {
  return [nodeChecks({ ...checkSettings(settings), intervalHours: settings.GPUQ_CHECK_INTERVAL_H })]
}
