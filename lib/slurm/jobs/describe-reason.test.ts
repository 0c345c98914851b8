import { expect, test } from 'vitest'
import { describeReason, endReasons, isCancelReason } from '../../contract/reasons'
import { describeSlurmReason } from './describe-reason'

test.each([
  ['Priority', 'Other jobs with a higher priority are before it in the queue (Slurm: Priority).'],
  ['(Resources)', 'The GPUs, CPUs, memory or nodes that it needs are not free (Slurm: Resources).'],
  [
    'QOSMaxGRESPerUser',
    'Together with the other jobs of its user, it would exceed the limit of its QOS on GPUs (GRES) (Slurm: QOSMaxGRESPerUser).',
  ],
  [
    'AssocGrpCPURunMinutesLimit',
    'Together with all other jobs of its Slurm account, it would exceed the limit on CPUs times the remaining minutes (Slurm: AssocGrpCPURunMinutesLimit).',
  ],
  [
    'AssocMaxJobsLimit',
    'Together with the other jobs of its user, it would exceed the limit of its Slurm account on running jobs (Slurm: AssocMaxJobsLimit).',
  ],
  [
    'AssocMaxWallDurationPerJobLimit',
    'It asks for more run time than its Slurm account allows one job. Submit it with less, or ask an admin (Slurm: AssocMaxWallDurationPerJobLimit).',
  ],
  [
    'MaxGRESPerAccount',
    'Together with the other jobs of its account, it would exceed the limit of its QOS on GPUs (GRES) (Slurm: MaxGRESPerAccount).',
  ],
  ['QOSMinGRES', 'It asks for fewer GPUs (GRES) than its QOS requires (Slurm: QOSMinGRES).'],
  [
    'ReqNodeNotAvail, UnavailableNodes:n[0-3]',
    'A node that it needs is down, drained or reserved, or is reserved for maintenance soon (Slurm: ReqNodeNotAvail, UnavailableNodes:n[0-3]).',
  ],
  [
    'Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions',
    'A node that it needs is down, drained or reserved, or is reserved for maintenance soon (Slurm: Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions).',
  ],
  ['SomethingNew', 'Slurm lets it wait (Slurm: SomethingNew).'],
  ['constructor', 'Slurm lets it wait (Slurm: constructor).'],
  ['', 'Slurm has not looked at the job yet (Slurm: None).'],
  [null, 'Slurm has not looked at the job yet (Slurm: None).'],
])("Slurm's reason %j is described", (reason, sentence) => {
  expect(describeSlurmReason(reason)).toBe(sentence)
})

test('a wait in Slurm is explained by gpuq’s reason and Slurm’s', () => {
  expect(describeReason('slurm_pending', describeSlurmReason('Priority'))).toBe(
    'The job waits in Slurm. Other jobs with a higher priority are before it in the queue (Slurm: Priority).',
  )
})

test('a cancellation in Slurm cancels the job and blames nobody, and a refusal is the user’s fault', () => {
  expect(isCancelReason('cancelled_in_slurm')).toBe(true)
  expect(endReasons.cancelled_in_slurm.fault).toBe('none')
  expect(isCancelReason('slurm_refused')).toBe(false)
  expect(endReasons.slurm_refused.fault).toBe('user')
})
