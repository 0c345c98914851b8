import type { JobDetail } from '../jobs'
import type { Advice } from './advice'
import { adviseFailure, needsEnvironments } from './advise-failure'
import type { KnownEnvironment, ServerLimits } from './failure'
import { type FailureKind, findFailureKind } from './failure-kind'
import { parseTraceback } from './parse-traceback'

const titles: Readonly<Record<FailureKind | 'timeout' | 'out_of_memory', string>> = {
  timeout: 'The time limit was reached',
  out_of_memory: 'Not enough memory',
  network: 'No network',
  pip: 'pip is missing',
  lfs_pointer: 'A file is a pointer of Git LFS',
  bash_in_sh: 'A feature of bash in sh',
  windows_lines: 'Line ends of Windows',
  script_not_run: 'A script could not be started',
  no_space: 'No space left',
  read_only: 'A path is read-only',
  gpu_memory: 'Not enough GPU memory',
  no_gpu: 'No usable GPU',
  gpu_assert: 'An index is out of range on the GPU',
  same_gpu: 'Two processes use one GPU',
  shared_memory: 'Not enough shared memory',
  host_memory: 'Not enough memory',
  module: 'A module is missing',
}

/**
 * What to change so that a job that has ended can succeed; null: it succeeded, or nothing is known.
 * @param lines the end of the output of the instance that failed first, without colours.
 * @param known reads what the server has. Called only if something is known about the failure. Undefined: not known.
 */
export async function adviseEnd(
  job: Pick<JobDetail, 'status' | 'reason' | 'max_time' | 'environment' | 'resources'>,
  lines: readonly string[],
  known: {
    environments: () => Promise<readonly KnownEnvironment[] | undefined>
    limits: () => Promise<ServerLimits>
  },
): Promise<Advice | null> {
  if (job.status !== 'failed') return null
  const exception = parseTraceback(lines)?.exception ?? null
  const kind = kindOf(job, exception, lines)
  if (kind === null) return null
  const environments = needsEnvironments(exception, lines) ? await known.environments() : undefined
  const advice = adviseFailure({ job, exception, lines, environments, limits: await known.limits() })
  return advice && { title: titles[kind], ...advice }
}

function kindOf(
  { reason }: Pick<JobDetail, 'reason'>,
  exception: string | null,
  lines: readonly string[],
): keyof typeof titles | null {
  if (reason === 'timeout' || reason === 'out_of_memory') return reason
  return reason === 'exit_code' ? findFailureKind(exception, lines) : null
}
