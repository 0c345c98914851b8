import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { timeLimitSeconds } from '@/lib/contract/config/config'
import type { Outcome } from '@/lib/jobs/state/finish'

type Limited = Pick<ClaimedTask, 'timeLimitS' | 'expectedTimeS' | 'memoryMib'> & {
  spec: Pick<ClaimedTask['spec'], 'max_time' | 'memory_gb'>
}

/**
 * What the output says when a limit ended a program: the limit, where it comes from, and the key to change. Empty: no limit
 * did. Without it, the output of such a program just ends.
 */
export function stopNotes({ reason }: Pick<Outcome, 'reason'>, task: Limited): string[] {
  if (reason === 'timeout')
    return [`stopped: it ran longer than its time limit of ${task.timeLimitS} s${timeSource(task)}`]
  if (reason !== 'out_of_memory') return []
  const { memory_gb } = task.spec
  const source = memory_gb === undefined ? 'the default for its GPUs and CPUs' : `memory_gb: ${memory_gb}`
  return [
    `stopped: it used more memory than its limit of ${task.memoryMib} MiB (${source}). Set memory_gb to allow more.`,
  ]
}

function timeSource({ timeLimitS, expectedTimeS: expected_time, spec: { max_time } }: Limited): string {
  const wanted = timeLimitSeconds({ expected_time, max_time }, Number.POSITIVE_INFINITY)
  if (timeLimitS < Math.ceil(wanted))
    return ', the maximum of this server (GPUQ_MAX_TIME_S). Ask an admin to raise it, or save checkpoints.'
  return max_time === undefined
    ? ` (expected_time: ${expected_time}). Set max_time, or a longer expected_time, to allow more.`
    : ` (max_time: ${max_time}). Set a longer max_time to allow more.`
}
