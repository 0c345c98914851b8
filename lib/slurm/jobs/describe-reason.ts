/**
 * Slurm's reasons why a job waits, in gpuq's words. Slurm 22.05 has about 250 of them. Most name a limit of a QOS or of
 * an account by a fixed pattern, so they are described by their parts.
 */
const sentences: Readonly<Record<string, string>> = {
  None: 'Slurm has not looked at the job yet',
  WaitingForScheduling: 'Slurm has not looked at the job yet',
  Priority: 'Other jobs with a higher priority are before it in the queue',
  Resources: 'The GPUs, CPUs, memory or nodes that it needs are not free',
  Dependency: 'It waits for another job to end',
  DependencyNeverSatisfied: 'It depends on a job that did not end as required, so it can never start',
  PartitionTimeLimit:
    'Its time limit is longer than the partition allows. Submit it with a shorter max_time, or ask an admin for another partition',
  PartitionNodeLimit:
    'It needs more or fewer nodes than the partition allows, or nodes of it are down. Ask an admin for another partition',
  PartitionDown: 'The partition starts no jobs now',
  PartitionInactive: 'The partition starts no jobs now',
  PartitionConfig: 'The partition does not allow what the job asks for. Ask an admin for another partition',
  PartitionMinNodes: 'It needs fewer nodes than the partition requires',
  PartitionMaxNodes: 'It needs more nodes than the partition allows',
  ReqNodeNotAvail: 'A node that it needs is down, drained or reserved, or is reserved for maintenance soon',
  Reservation: 'It waits for its reservation to begin',
  ReqResv: 'The partition accepts only jobs with a reservation. Ask an admin',
  RequiresReservation: 'The partition accepts only jobs with a reservation. Ask an admin',
  ReservationDeleted: 'Its reservation was deleted. Ask an admin',
  ReservedForMaintenance: 'The nodes that it needs are reserved for maintenance',
  BeginTime: 'It may not start before a set time. After a failed start, Slurm waits two minutes',
  JobHeldUser: 'It is held. Its owner can release it',
  JobHeldAdmin: 'An admin of Slurm holds it. Only an admin can release it',
  JobHoldMaxRequeue: 'Slurm started it again too often and holds it now. An admin can release it',
  RequeueExitHold: 'Slurm holds it after its exit code. An admin can release it',
  RequeueExit: 'Slurm starts it again because of its exit code',
  BadConstraints: 'No node can ever have what it asks for. Submit it again and ask for less',
  InvalidAccount: 'Its Slurm account does not exist or is not allowed. Ask an admin',
  AccountNotAllowed: 'Its Slurm account may not use the partition. Ask an admin',
  InvalidQOS: 'Its QOS does not exist or is not allowed. Ask an admin',
  QOSNotAllowed: 'The partition or the account does not allow its QOS. Ask an admin',
  QOSUsageThreshold: 'Its account has used too much for its QOS',
  QOSJobLimit: 'Its QOS runs as many jobs as it allows',
  QOSResourceLimit: 'Its QOS uses as many resources as it allows',
  QOSTimeLimit: 'Its QOS has used as much time as it allows',
  AssociationJobLimit: 'Its Slurm account runs as many jobs as it may',
  AssociationResourceLimit: 'Its Slurm account uses as many resources as it may',
  AssociationTimeLimit: 'Its Slurm account has used as much time as it may',
  AccountingPolicy: 'A limit of its Slurm account or QOS does not allow it now',
  NodeDown: 'A node that it needs is down',
  FrontEndDown: 'No front end of the cluster works',
  Licenses: 'The licenses that it needs are in use',
  Cleaning: 'Slurm still cleans up after its previous run',
  JobArrayTaskLimit: 'As many tasks of its job array run as it allows',
  MaxMemPerLimit:
    'It asks for more memory per CPU or node than the cluster allows. Submit it with less memory',
  PowerNotAvail: 'There is not enough electric power for it now',
  PowerReserved: 'Electric power is reserved for another job',
  BurstBufferResources: 'Its burst buffer has no free space',
  BurstBufferStageIn: 'Its burst buffer is filled',
  BurstBufferOperation: 'An operation on its burst buffer failed. Ask an admin',
  SchedDefer: 'Slurm starts it with its next scheduling pass',
  FedJobLock: 'Slurm waits for the other clusters of its federation',
  DeadLine: 'It cannot end before its deadline',
  Prolog: 'The program that prepares its nodes still runs',
  JobLaunchFailure: 'Slurm could not start it on a node. An admin finds the cause in the log of slurmd there',
  SystemFailure: 'Slurm itself failed to start it. Ask an admin',
}

const limited = [
  { pattern: /^Wall/, sentence: 'run time' },
  { pattern: /^Submit/, sentence: 'submitted jobs' },
  { pattern: /^Jobs?/, sentence: 'running jobs' },
  { pattern: /^GRES/, sentence: 'GPUs (GRES)' },
  { pattern: /^CPU/i, sentence: 'CPUs' },
  { pattern: /^Mem/, sentence: 'memory' },
  { pattern: /^Node/, sentence: 'nodes' },
  { pattern: /^License/, sentence: 'licenses' },
  { pattern: /^Energy/, sentence: 'energy' },
  { pattern: /^BB/, sentence: 'burst buffer' },
  { pattern: /^Billing/, sentence: 'billing units' },
] as const

const limit = /^(QOS|Assoc)?(Grp|Max|Min)([A-Z].*)$/

/** Describes a limit such as `QOSMaxGRESPerUser` by its parts: whose limit, how it counts, and of what. */
function describeLimit(word: string): string | null {
  const parts = limit.exec(word)
  if (!parts) return null
  const [, owner, kind, rest = ''] = parts
  const whose = owner === 'Assoc' ? 'its Slurm account' : 'its QOS'
  const subject = limited.find(({ pattern }) => pattern.test(rest))?.sentence ?? 'resources'
  if (kind === 'Min') return `It asks for fewer ${subject} than ${whose} requires`
  const minutes = /RunMin/.test(rest)
    ? ' times the remaining minutes'
    : /Minutes/.test(rest)
      ? ' times minutes'
      : ''
  const what = `${subject}${minutes}`
  if (/PerJob/.test(rest)) {
    return `It asks for more ${what} than ${whose} allows one job. Submit it with less, or ask an admin`
  }
  if (/PerNode/.test(rest)) return `It asks for more ${what} per node than ${whose} allows`
  // A maximum of an association counts the jobs of one user.
  if (/PerUser/.test(rest) || (owner === 'Assoc' && kind === 'Max'))
    return `Together with the other jobs of its user, it would exceed the limit of ${whose} on ${what}`
  if (/PerAccount/.test(rest))
    return `Together with the other jobs of its account, it would exceed the limit of ${whose} on ${what}`
  return `Together with all other jobs of ${whose}, it would exceed the limit on ${what}`
}

/** Slurm writes some reasons as sentences. */
const phrases: readonly { start: RegExp; word: string }[] = [
  { start: /^job requeued in held state/i, word: 'JobHoldMaxRequeue' },
  { start: /^launch failed requeued held/i, word: 'JobLaunchFailure' },
  { start: /^nodes required for job are down/i, word: 'ReqNodeNotAvail' },
]

/**
 * Says in gpuq's words why a job waits in Slurm, with Slurm's own text in brackets.
 * @param reason as Slurm writes it, such as `Priority` or `ReqNodeNotAvail, UnavailableNodes:n1`; null or empty: none.
 */
export function describeSlurmReason(reason: string | null): string {
  const text = reason?.trim().replace(/^\((.*)\)$/, '$1') || 'None'
  const word = phrases.find(({ start }) => start.test(text))?.word ?? text.split(/[,:\s(]/, 1)[0] ?? text
  const known = Object.hasOwn(sentences, word) ? sentences[word] : describeLimit(word)
  return `${known ?? 'Slurm lets it wait'} (Slurm: ${text}).`
}
