import type { Env } from '@/lib/env'
import { archives } from './archives/task-hook'
import { artifacts, tryArtifacts } from './artifacts/task-hook'
import { checkpoints, closeShared } from './checkpoints/task-hook'
import type { CheckpointSettings } from './checkpoints/watch-checkpoints'
import { findKeptPaths } from './competitions/kept-paths'
import { competitions } from './competitions/task-hook'
import { hostFiles } from './host-files/task-hook'
import { taskDirectory } from './node/task/task-directory'
import type { MakeTaskHook } from './node/task/task-hook'
import { checkSettings } from './node-checks/check-node'
import { nodeChecks } from './node-checks/node-checker'
import type { SnapshotCacheOptions } from './snapshots/snapshot-cache'
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
  snapshots: SnapshotCacheOptions
  /** How many warm containers each node keeps. */
  warmLimits: WarmLimits
}

/**
 * Prepares this machine for the hooks, before its first node. Turns off in the settings what does not work here.
 * @returns why, as sentences for the admins.
 */
export async function prepareMachine(
  settings: TaskHookSettings,
  machine: { name: string; tasksDirectory: string },
): Promise<string[]> {
  const problems: string[] = []
  for (const prepare of [closeShared, tryArtifacts]) problems.push(...(await prepare(settings, machine)))
  return problems
}

/** The features that take part in the life of a task, in the order of their calls. */
export function makeTaskHooks(settings: TaskHookSettings): MakeTaskHook[] {
  const { resultsLimitBytes } = settings
  return [
    // Before a warm container is chosen, because it decides about the network.
    competitions,
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
    artifacts(resultsLimitBytes, findKeptPaths),
    workingFiles,
    terminal,
  ]
}

/** The features that only the node of this machine has: its simulated nodes are parts of it. */
export function makeMachineHooks(settings: Env): MakeTaskHook[] {
  return [nodeChecks({ ...checkSettings(settings), intervalHours: settings.GPUQ_CHECK_INTERVAL_H })]
}
