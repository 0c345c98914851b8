import type { SlurmNodeState } from '@/lib/slurm/client/slurm-client'
import { failure, type Judgement, notApplicable, ok, warning } from '@/worker/node-checks/judgement'
import type { IdentityProblem } from './slurm-facts'

/** The first version that has been tested. */
const testedVersion = [22, 5] as const
/** An ended job must be seen by several polls before Slurm forgets it. */
const pollsBeforeForgetting = 5
const unknownConfig = notApplicable('Not checked: slurmrestd does not show the settings of slurmctld.')

type Config = ReadonlyMap<string, string> | null

/** @param version such as 22.05.8 */
export function judgeVersion(version: string): Judgement {
  const [year = 0, month = 0] = version.split('.').map(Number)
  const isOlder = year < testedVersion[0] || (year === testedVersion[0] && month < testedVersion[1])
  if (isOlder)
    return warning(
      `Slurm ${version} answers. It is older than 22.05.`,
      'Update Slurm: gpuq is tested with 22.05.',
    )
  return ok(`Slurm ${version} answers.`)
}

/** @param usesRest whether the transport is slurmrestd */
export function judgeUnreachable(problem: string, usesRest: boolean): Judgement {
  return failure(
    problem,
    usesRest
      ? 'Check GPUQ_SLURM_URL, and that slurmrestd runs with `-a rest_auth/jwt`. The command of GPUQ_SLURM_TOKEN_COMMAND must print a token of GPUQ_SLURM_USER.'
      : 'Install the commands of Slurm here (Debian: slurm-client) with the slurm.conf and the munge key of the cluster, or set GPUQ_SLURM_URL. `scontrol ping` must answer.',
  )
}

export function judgeAccounting(accounting: boolean, minJobAgeS: number | null): Judgement {
  if (accounting) return ok('Slurm keeps accounting records of ended jobs.')
  const age = minJobAgeS === null ? 'a few minutes (MinJobAge)' : `${minJobAgeS} s (MinJobAge)`
  return warning(
    `Slurm keeps no accounting records. It forgets an ended job after ${age}.`,
    'If no leader of gpuq runs for longer than that, gpuq cannot tell how a job ended in the meantime, and runs it again. Configure slurmdbd (AccountingStorageType=accounting_storage/slurmdbd).',
  )
}

/** @param pollS GPUQ_SLURM_POLL_S */
export function judgeMinJobAge(config: Config, accounting: boolean, pollS: number): Judgement {
  if (config === null) return unknownConfig
  const seconds = Number.parseInt(config.get('MinJobAge') ?? '', 10)
  if (Number.isNaN(seconds)) return notApplicable('Slurm does not show MinJobAge.')
  if (seconds === 0) return ok('Slurm never forgets ended jobs (MinJobAge=0).')
  const found = `Slurm knows an ended job for at least ${seconds} s. gpuq asks every ${pollS} s.`
  if (seconds >= pollS * pollsBeforeForgetting) return ok(found)
  return (accounting ? warning : failure)(
    found,
    `Set MinJobAge in slurm.conf to at least ${pollS * pollsBeforeForgetting}, such as the default of 300, or lower GPUQ_SLURM_POLL_S.`,
  )
}

/** Whether jobs can ask for GPUs, and for parts of them. */
export function judgeGres(config: Config, nodes: readonly SlurmNodeState[]): Judgement {
  const count = nodes.reduce((sum, { gpus }) => sum + gpus.reduce((total, gpu) => total + gpu.count, 0), 0)
  const types = config?.get('GresTypes')?.split(',') ?? null
  if (types !== null && !types.includes('gpu'))
    return failure(
      'GresTypes in slurm.conf has no gpu: Slurm refuses every job that asks for a GPU.',
      'Set GresTypes=gpu in slurm.conf, name the devices in gres.conf and in Gres= of the nodes, and restart slurmctld and slurmd.',
    )
  if (count === 0)
    return failure(
      'No Slurm node has GPUs.',
      'Name the devices of each node in gres.conf (AutoDetect=nvml or File=/dev/nvidia[0-7]) and Gres=gpu:8 in slurm.conf.',
    )
  const withGpus = nodes.filter(({ gpus }) => gpus.length > 0).length
  return ok(`${count} GPUs on ${withGpus} of ${nodes.length} Slurm nodes.`)
}

/** @param perGpu GPUQ_SLURM_SHARDS_PER_GPU */
export function judgeShards(config: Config, perGpu: number): Judgement {
  if (config === null) return unknownConfig
  const hasShards = config.get('GresTypes')?.split(',').includes('shard') ?? false
  if (hasShards && perGpu > 0) return ok(`Jobs can use parts of a GPU: ${perGpu} shards per GPU.`)
  if (hasShards)
    return warning(
      'Slurm has shards, but gpuq does not use them.',
      'Set GPUQ_SLURM_SHARDS_PER_GPU to the shards of each GPU in gres.conf.',
    )
  if (perGpu > 0)
    return failure(
      `GPUQ_SLURM_SHARDS_PER_GPU is ${perGpu}, but GresTypes in slurm.conf has no shard.`,
      'Add shard to GresTypes and to gres.conf, or unset GPUQ_SLURM_SHARDS_PER_GPU.',
    )
  return notApplicable('Slurm has no shards: gpuq refuses jobs with gpu_fraction.')
}

/** @param workers names of gpuq's live nodes; null: unknown */
export function judgeWorkers(nodes: readonly SlurmNodeState[], workers: readonly string[] | null): Judgement {
  if (workers === null) return notApplicable('Not checked: the database of gpuq does not answer.')
  const withGpus = nodes.filter(({ gpus }) => gpus.length > 0).map(({ name }) => name)
  const missing = withGpus.filter((name) => !workers.includes(name))
  const foreign = workers.filter((name) => !nodes.some((node) => node.name === name))
  const action =
    'Run a worker of gpuq on each Slurm node that may run its jobs, with GPUQ_NODE_NAME set to the name of the node in Slurm (SLURMD_NODENAME).'
  if (missing.length === withGpus.length && missing.length > 0)
    return failure('No Slurm node with GPUs has a running worker of gpuq.', action)
  if (missing.length > 0)
    return warning(
      `${withGpus.length - missing.length} of ${withGpus.length} Slurm nodes with GPUs have a running worker of gpuq. Missing: ${list(missing)}.`,
      `${action} Or limit gpuq's jobs to a partition of the nodes with workers.`,
    )
  if (foreign.length > 0)
    return warning(`Slurm has no node with the name of these workers: ${list(foreign)}.`, action)
  return ok(`Each of the ${withGpus.length} Slurm nodes with GPUs has a running worker of gpuq.`)
}

export function judgeCgroups(config: Config): Judgement {
  if (config === null) return unknownConfig
  const tracks = config.get('ProctrackType') ?? 'unknown'
  const limits = config.get('TaskPlugin') ?? 'unknown'
  const found = `ProctrackType=${tracks}, TaskPlugin=${limits}.`
  if (tracks.includes('cgroup') && limits.includes('cgroup'))
    return ok(`Slurm puts each job into a cgroup. ${found}`)
  return warning(
    `Slurm does not put each job into a cgroup. ${found}`,
    'Set ProctrackType=proctrack/cgroup and TaskPlugin=task/cgroup, so that the containers of gpuq are in the cgroup of their Slurm job. Without it, gpuq enforces the limits of containers, but Slurm does not see what they use.',
  )
}

/** @param path GPUQ_SLURM_DIRECTORY */
export function judgeDirectory(path: string, found: 'writable' | 'creatable' | 'refused'): Judgement {
  if (found === 'writable') return ok(`The worker can write to ${path}.`)
  if (found === 'creatable') return ok(`${path} does not exist yet. The worker can create it.`)
  return failure(
    `This account cannot write to ${path}. Without it, no batch script finds its worker.`,
    `Create it for the account of the worker: install -d -o ACCOUNT -m 755 ${path}. Or set GPUQ_SLURM_DIRECTORY.`,
  )
}

/**
 * @param account the Unix account that was tried; null: none was given
 * @param problem why this process cannot submit as that account; null: it can
 */
export function judgeIdentity(
  identity: 'service' | 'user',
  account: string | null,
  problem: IdentityProblem | null,
): Judgement {
  if (identity === 'service') return notApplicable('All Slurm jobs belong to the account of the worker.')
  if (account === null)
    return warning(
      'Each Slurm job belongs to the Unix account of its owner. No account was tried.',
      'Run `gpuq doctor --engine slurm --unix-user NAME` with the name of an account.',
    )
  if (problem === null) return ok(`This account can submit as ${account}.`)
  if (problem.by === 'slurm')
    return warning(
      `Slurm would refuse a job of ${account}: ${problem.message}.`,
      `If Slurm enforces associations, add one: sacctmgr add user ${account} account=ACCOUNT. If its jobs need an account or a partition, name it on the page Slurm.`,
    )
  return failure(
    `This account cannot submit as ${account}: ${problem.message}.`,
    'Let the account of the worker run the commands without a password, in /etc/sudoers.d/gpuq: `gpuq ALL=(%gpuq-users) NOPASSWD: /usr/bin/sbatch, /usr/bin/scancel, /usr/bin/scontrol`.',
  )
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, 10).join(', ')
  return names.length > 10 ? `${shown} and ${names.length - 10} more` : shown
}
