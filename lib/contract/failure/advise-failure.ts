import { visibleText } from '../text/sanitize-text'
import {
  adviseGpuMemory,
  adviseMemory,
  adviseNoGpu,
  adviseSharedMemory,
  adviseSpace,
  adviseTime,
} from './advise-resources'
import { type Failure, type FailureAdvice, type KnownEnvironment, only } from './failure'
import { type FailureKind, findFailureKind, moduleOf } from './failure-kind'

/** Whether the advice depends on the environments of the server. */
export function needsEnvironments(exception: string | null, lines: readonly string[]): boolean {
  const kind = findFailureKind(exception, lines)
  return kind === 'network' || kind === 'pip' || kind === 'module'
}

/** What to change so that the job can succeed; null: unknown. */
export function adviseFailure(failure: Failure): FailureAdvice | null {
  const { job, exception, lines } = failure
  if (job.reason === 'timeout') return adviseTime(failure)
  if (job.reason === 'out_of_memory') return adviseMemory(failure)
  if (job.reason !== 'exit_code') return null
  const kind = findFailureKind(exception, lines)
  return kind === null ? null : advise[kind](failure)
}

const convertLines =
  "`sed -i 's/\\r$//' FILE` converts a file. gpuq converts a command and the file that it runs, but not the files that these run."

const advise: Readonly<Record<FailureKind, (failure: Failure) => FailureAdvice | null>> = {
  network: adviseNetwork,
  pip: ({ job, environments }) => {
    const name = visibleText(job.environment, 60)
    if (isOnlyEnvironment(job, environments)) {
      return only(
        `Send what the job needs in its directory, because ${name} has no pip, and this server has no other environment.`,
      )
    }
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
  no_space: adviseSpace,
  read_only: () =>
    only(
      'Write to /work, /tmp or /results: every other path in the container is read-only. Set the variable of a cache to one of them, such as HF_HOME or XDG_CACHE_HOME.',
    ),
  gpu_memory: adviseGpuMemory,
  no_gpu: adviseNoGpu,
  gpu_assert: () =>
    only(
      'Look for an index that is out of range on the GPU, such as a label that is not less than the number of classes. With CUDA_LAUNCH_BLOCKING=1 in env, the traceback shows the right line.',
    ),
  same_gpu: ({ limits }) =>
    only(
      limits?.gpus === 1
        ? 'Start one process on each node: no node of this server has a second GPU.'
        : 'Give each process a GPU of its own: call torch.cuda.set_device with its LOCAL_RANK, and set gpu_count to the number of processes on a node.',
    ),
  shared_memory: adviseSharedMemory,
  host_memory: adviseMemory,
  module: adviseModule,
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

function isOnlyEnvironment({ environment }: Failure['job'], known: Failure['environments']): boolean {
  return known !== undefined && !known.some(({ name, enabled }) => enabled && name !== environment)
}

function adviseModule({ job, exception, environments }: Failure): FailureAdvice {
  const [module = ''] = (moduleOf(exception) ?? '').split('.')
  const name = visibleText(module, 60)
  const { environment } = job
  if (isOnlyEnvironment(job, environments)) {
    return only(
      `Upload the module ${name} in the directory of the job, because ${environment} does not have it, and this server has no other environment.`,
    )
  }
  return only(
    `Set environment to one that has the module ${name}, because ${environment} does not have it, or upload the module in the directory of the job.`,
  )
}
