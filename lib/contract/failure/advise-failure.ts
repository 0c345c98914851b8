import type { JobDetail } from '../jobs'
import { visibleText } from '../text/sanitize-text'
import { type FailureKind, findFailureKind, moduleOf } from './failure-kind'

type Instance = JobDetail['resources']['got'][number]
type FailedJob = Pick<JobDetail, 'reason' | 'max_time' | 'environment'> & {
  resources: { got: readonly Pick<Instance, 'gpus' | 'memory_mib'>[] }
}

/** An environment that the user can choose. */
export interface KnownEnvironment {
  name: string
  network: 'none' | 'internet'
  enabled: boolean
}

/** What is known about a failed job. */
export interface Failure {
  job: FailedJob
  /** The exception that ended the program; null: none was found. */
  exception: string | null
  /** The end of the output. */
  lines: readonly string[]
  /** Undefined: not known. */
  environments: readonly KnownEnvironment[] | undefined
}

/** A change that can be filled in for the user. `shell`: bash runs the command. */
export type Fix =
  | { key: 'environment'; value: string }
  | { key: 'memory_gb' | 'max_time' | 'gpu_count'; value: number }
  | { key: 'shell'; value: 'bash' }

export interface FailureAdvice {
  /** What to change so that the job can succeed. */
  text: string
  /** Null: only the user can make the change. */
  fix: Fix | null
}

/** Whether the advice depends on the environments of the server. */
export function needsEnvironments(exception: string | null, lines: readonly string[]): boolean {
  const kind = findFailureKind(exception, lines)
  return kind === 'network' || kind === 'pip'
}

/** What to change so that the job can succeed; null: unknown. */
export function adviseFailure(failure: Failure): FailureAdvice | null {
  const { job, exception, lines } = failure
  if (job.reason === 'timeout') return adviseTime(job)
  if (job.reason === 'out_of_memory') return adviseMemory(job)
  if (job.reason !== 'exit_code') return null
  const kind = findFailureKind(exception, lines)
  return kind === null ? null : advise[kind](failure)
}

const convertLines =
  "`sed -i 's/\\r$//' FILE` converts a file. gpuq converts a command and the file that it runs, but not the files that these run."

const only = (text: string): FailureAdvice => ({ text, fix: null })

const advise: Readonly<Record<FailureKind, (failure: Failure) => FailureAdvice | null>> = {
  network: adviseNetwork,
  pip: ({ job, environments }) => {
    const name = visibleText(job.environment, 60)
    return only(
      `Set environment to one whose image has what the job needs, because ${name} has no pip. ${nameOnline(environments)}`.trim(),
    )
  },
  lfs_pointer: () =>
    only(
      'Run `git lfs pull` in your directory and send it again: a file is only a pointer of Git LFS, and its content was not sent.',
    ),
  bash_in_sh: () => ({
    text: 'Make #!/bin/bash the first line of the script or of the command, or run the script with bash: sh does not know features of bash, such as [[, arrays and pipefail.',
    fix: { key: 'shell', value: 'bash' },
  }),
  windows_lines: () =>
    only(`Save the script with the line ends LF: its lines end with CR LF, as on Windows. ${convertLines}`),
  script_not_run: () =>
    only(
      `Check that the job has the file, and that its first line names a program of the image. If its lines end with CR LF, as on Windows, save it with the line ends LF. ${convertLines}`,
    ),
  no_space: ({ job }) => adviseSpace(job),
  read_only: () =>
    only(
      'Write to /work, /tmp or /results: every other path in the container is read-only. Set the variable of a cache to one of them, such as HF_HOME or XDG_CACHE_HOME.',
    ),
  gpu_memory: ({ job }) => adviseGpuMemory(job),
  no_gpu: adviseNoGpu,
  gpu_assert: () =>
    only(
      'Look for an index that is out of range on the GPU, such as a label that is not less than the number of classes. With CUDA_LAUNCH_BLOCKING=1 in env, the traceback shows the right line.',
    ),
  same_gpu: () =>
    only(
      'Give each process a GPU of its own: call torch.cuda.set_device with its LOCAL_RANK, and set gpu_count to the number of processes on a node.',
    ),
  shared_memory: ({ job }) => {
    const limit = memoryOf(job.resources.got)
    return {
      text: `Set memory_gb to more than ${limit ?? 'what the job had'}, or use fewer workers of the data loader: half of it is shared memory (/dev/shm).`,
      fix: twice(limit),
    }
  },
  host_memory: ({ job }) => adviseMemory(job),
  module: ({ job, exception }) => adviseModule(job, moduleOf(exception) ?? ''),
}

function adviseNetwork({ job, environments }: Failure): FailureAdvice | null {
  const own = environments?.find(({ name }) => name === job.environment)
  // With internet access, the program has another fault: a wrong name, or a server that is down.
  if (own?.network === 'internet') return null
  const [online] = onlineOf(environments)
  const name = visibleText(job.environment, 60)
  const upload =
    'or send the files with the job: in its directory, or as a snapshot (`gpuq push`, key mounts)'
  if (environments === undefined)
    return only(`Set environment to one with internet access, if ${name} has none, ${upload}.`)
  if (online === undefined)
    return only(
      `Send the files with the job: in its directory, or as a snapshot (\`gpuq push\`, key mounts). ${name} has no internet access, and no environment of this server has it: ask an admin.`,
    )
  return {
    text: `Set environment to one with internet access, because ${name} has none, ${upload}. ${nameOnline(environments)}`,
    fix: { key: 'environment', value: online.name },
  }
}

function onlineOf(environments: readonly KnownEnvironment[] = []): readonly KnownEnvironment[] {
  return environments.filter(({ enabled, network }) => enabled && network === 'internet')
}

function nameOnline(environments: readonly KnownEnvironment[] | undefined): string {
  const names = onlineOf(environments).map(({ name }) => visibleText(name, 60))
  if (names.length === 0) return environments === undefined ? '' : 'No environment has internet access.'
  const more = names.length > 5 ? ` and ${names.length - 5} more` : ''
  return `With internet access: ${names.slice(0, 5).join(', ')}${more}.`
}

function adviseTime({ max_time }: FailedJob): FailureAdvice {
  return {
    text: `Set max_time to more than ${max_time}, the limit of this job in seconds, or continue from checkpoints.`,
    fix: { key: 'max_time', value: Math.ceil(max_time * 2) },
  }
}

function adviseMemory({ resources: { got } }: FailedJob): FailureAdvice {
  const limit = memoryOf(got)
  return {
    text: `Set memory_gb to more than ${limit ?? 'what the job had'}, or load less data at a time.`,
    fix: twice(limit),
  }
}

function adviseSpace({ resources: { got } }: FailedJob): FailureAdvice {
  const limit = memoryOf(got)
  return {
    text: `Write large files to /results, or set memory_gb to more than ${limit ?? 'what the job had'}: /work and /tmp are in the memory of the job.`,
    fix: twice(limit),
  }
}

/** In a config, a GB of main memory is a GiB. */
function memoryOf(got: FailedJob['resources']['got']): number | null {
  return got.length === 0 ? null : Number((least(got) / 1024).toFixed(1))
}

function twice(gigabytes: number | null): Fix | null {
  return gigabytes === null ? null : { key: 'memory_gb', value: Number((gigabytes * 2).toFixed(1)) }
}

function gpusOf({ resources: { got } }: FailedJob) {
  return got.flatMap((instance) => instance.gpus)
}

const withoutGpu: FailureAdvice = {
  text: 'Set gpu_count so that the job has a GPU, or use the CPU.',
  fix: { key: 'gpu_count', value: 1 },
}

function adviseNoGpu({ job }: Failure): FailureAdvice {
  const gpus = gpusOf(job)
  if (gpus.length === 0) return withoutGpu
  if (gpus.some(({ simulated }) => simulated))
    return only('Use the CPU: the GPUs of this node are simulated, so no program can compute on them.')
  return only(
    `Set gpu_count to more than ${gpus.length}, or use only the GPUs that the job has: it sees ${gpus.length}, counted from 0. Do not set CUDA_VISIBLE_DEVICES.`,
  )
}

function adviseGpuMemory(job: FailedJob): FailureAdvice {
  const gpus = gpusOf(job)
  if (gpus.length === 0) return withoutGpu
  const share = Math.min(...gpus.map((gpu) => gpu.share))
  if (share < 1) {
    return only(
      `Set gpu_fraction to more than ${share}, the part of the GPU that this job had, or use smaller batches.`,
    )
  }
  const gigabytes = Math.ceil((least(gpus) * 2 ** 20) / 1e9)
  return only(
    `Set gpu_memory_gb to more than ${gigabytes}, the memory of this job's GPU in GB, or use smaller batches.`,
  )
}

function adviseModule({ environment }: FailedJob, module: string): FailureAdvice {
  const [name = ''] = module.split('.')
  return only(
    `Set environment to one that has the module ${visibleText(name, 60)}, because ${environment} does not have it, or upload the module in the directory of the job.`,
  )
}

function least(amounts: readonly { memory_mib: number }[]): number {
  return Math.min(...amounts.map(({ memory_mib }) => memory_mib))
}
