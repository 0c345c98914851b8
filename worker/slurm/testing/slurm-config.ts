import { hostname } from 'node:os'
import { join } from 'node:path'
import type { NetworkNamespace } from '../../testing/network-namespace'

/** A node of a test cluster. All nodes are processes of this machine. */
export interface SlurmNodeOptions {
  name: string
  /** Slurm's type of its GPUs; left out: they have none. */
  gpuType?: string
  gpus: number
  /** Parts into which its GPUs can be shared; 0: whole GPUs only. */
  shards: number
  /** The network namespace of its slurmd; left out: the machine's own network. */
  namespace?: NetworkNamespace
}

export interface SlurmConfigInput {
  directory: string
  controllerPort: number
  nodes: readonly (SlurmNodeOptions & { port: number })[]
  minJobAgeS: number
  /** Port of slurmdbd; null: without accounting. */
  accountingPort: number | null
  /** More lines of slurm.conf, such as partitions. */
  lines: readonly string[]
  /** Whether Slurm puts its jobs into cgroups (version 1) and limits their memory. */
  cgroups: boolean
}

/** CPUs and MiB that a test node claims to have. Nothing enforces them. */
export const testNodeSize = { cpus: 16, memoryMib: 20_000 }
const partition = 'main'

/**
 * The files of a cluster with simulated GPUs, by name. `gpus` are device files that behave like /dev/null.
 * Times are short: a node without slurmd is DOWN after 15 s, a job is killed 2 s after SIGTERM, and a requeued job starts
 * again after 5 s, the minimum, instead of two minutes (`cred_expire`).
 */
export function slurmFiles(input: SlurmConfigInput): Record<string, string> {
  return {
    'slurm.conf': slurmConf(input),
    'gres.conf': gresConf(input),
    // Slurm writes a warning to each log without it.
    'cgroup.conf': input.cgroups
      ? 'CgroupPlugin=cgroup/v1\nConstrainRAMSpace=yes\nConstrainDevices=no\n'
      : 'ConstrainDevices=no\n',
  }
}

function slurmConf({
  directory,
  controllerPort,
  nodes,
  minJobAgeS,
  accountingPort,
  lines,
  cgroups,
}: SlurmConfigInput): string {
  const [host] = hostname().split('.')
  const { cpus, memoryMib } = testNodeSize
  // From a namespace, slurmctld is at the machine's end of the cable. The other nodes reach it there too.
  const controller = nodes.find(({ namespace }) => namespace)?.namespace?.machine ?? '127.0.0.1'
  const text = [
    'ClusterName=gpuqtest',
    `SlurmctldHost=${host}(${controller})`,
    `SlurmctldPort=${controllerPort}`,
    'SlurmUser=root',
    'SlurmdUser=root',
    'AuthType=auth/munge',
    'CredType=cred/munge',
    `AuthInfo=socket=${join(directory, 'munge', 'socket')},cred_expire=5`,
    'AuthAltTypes=auth/jwt',
    `AuthAltParameters=jwt_key=${join(directory, 'jwt.key')}`,
    `StateSaveLocation=${join(directory, 'state')}`,
    `SlurmdSpoolDir=${join(directory, 'spool', '%n')}`,
    `SlurmctldPidFile=${join(directory, 'slurmctld.pid')}`,
    `SlurmdPidFile=${join(directory, 'slurmd-%n.pid')}`,
    `SlurmctldLogFile=${join(directory, 'slurmctld.log')}`,
    `SlurmdLogFile=${join(directory, 'slurmd-%n.log')}`,
    `ProctrackType=proctrack/${cgroups ? 'cgroup' : 'linuxproc'}`,
    `TaskPlugin=task/${cgroups ? 'cgroup' : 'none'}`,
    'MpiDefault=none',
    'SelectType=select/cons_tres',
    'SelectTypeParameters=CR_Core_Memory',
    'DefMemPerNode=100',
    `GresTypes=${nodes.some(({ shards }) => shards > 0) ? 'gpu,shard' : 'gpu'}`,
    'SlurmdParameters=config_overrides',
    'ReturnToService=2',
    'SlurmctldTimeout=10',
    'SlurmdTimeout=15',
    'KillWait=2',
    `MinJobAge=${minJobAgeS}`,
    'InactiveLimit=0',
    'SchedulerType=sched/backfill',
    'SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1',
    'JobCompType=jobcomp/none',
    ...(accountingPort === null
      ? []
      : [
          'AccountingStorageType=accounting_storage/slurmdbd',
          'AccountingStorageHost=127.0.0.1',
          // With munge, this is the path of its socket.
          `AccountingStoragePass=${join(directory, 'munge', 'socket')}`,
          `AccountingStoragePort=${accountingPort}`,
          'AccountingStorageTRES=gres/gpu',
          'AccountingStoreFlags=job_comment',
        ]),
    ...nodes.map(
      (node) =>
        `NodeName=${node.name} NodeHostname=${host} NodeAddr=${node.namespace?.address ?? '127.0.0.1'} Port=${node.port} CPUs=${cpus} RealMemory=${memoryMib}${gresOf(node)}`,
    ),
    `PartitionName=${partition} Nodes=${nodes.map(({ name }) => name).join(',')} Default=YES MaxTime=INFINITE State=UP`,
    ...lines,
  ]
  return `${text.join('\n')}\n`
}

function gresOf({ gpus, gpuType, shards }: SlurmNodeOptions): string {
  const parts = [
    ...(gpus > 0 ? [gpuType === undefined ? `gpu:${gpus}` : `gpu:${gpuType}:${gpus}`] : []),
    ...(shards > 0 ? [`shard:${shards}`] : []),
  ]
  return parts.length > 0 ? ` Gres=${parts.join(',')}` : ''
}

function gresConf({ directory, nodes }: SlurmConfigInput): string {
  return nodes
    .flatMap(({ name, gpus, gpuType, shards }) => {
      const type = gpuType === undefined ? '' : ` Type=${gpuType}`
      const files = join(directory, 'dev', `gpu[0-${gpus - 1}]`)
      return [
        ...(gpus > 0 ? [`NodeName=${name} Name=gpu${type} File=${files}\n`] : []),
        ...(shards > 0 ? [`NodeName=${name} Name=shard Count=${shards}\n`] : []),
      ]
    })
    .join('')
}
