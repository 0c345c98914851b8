import { describe, expect, test } from 'vitest'
import { countJobGpus, parseGpus, parseNodeGpus } from './gres'
import { expandHostlist } from './hostlist'
import { parseEnded } from './parse-ended'
import { exitCodeOf, jobFormat, parseDuration, parseJobs } from './parse-jobs'
import { nodeFormat, parseNodes, parsePartitions } from './parse-nodes'
import { toSlurmError } from './run-command'
import { parseSubmitted, toMinutes } from './sbatch-arguments'
import { SlurmRefusal, SlurmUnavailable } from './slurm-client'

const end = 'x0123456789ab'

describe('squeue of Slurm 22.05', () => {
  // Recorded. The name and the comment of job 3 have line breaks and separators.
  const output = `9|PENDING|root|main||cpu=9,mem=180000M,node=9,billing=9|N/A|N/A|N/A|9|9|9|0|4294901753|0|0|2026-11-23T09:30:01|N/A|N/A|UNLIMITED|PartitionNodeLimit${end}(null)${end}job.sh${end}
1012|PENDING|root|main||cpu=1,mem=20000M,node=1,billing=1|gres:gpu:1|N/A|N/A|1|1|1|0|0|0|0|2026-11-23T09:41:47|N/A|N/A|1:00:00|JobHeldUser${end}gpuq:019abcde-0000-7000-8000-000000001000${end}gpuq-1000${end}
3|PENDING|root|main||cpu=1,mem=20000M,node=1,billing=1|gres:gpu:a100:2|N/A|N/A|1|1|1|5|0|0|0|2026-11-23T09:30:01|N/A|N/A|1:00:00|JobHeldUser${end}we|rd
 "x"  é${end}a|b
c${end}
11|FAILED|root|main|n[0,2-3]|cpu=3,mem=300M,node=3,billing=3,gres/gpu=6|gres:gpu:2|N/A|N/A|3|3|3|0|4294901751|1|768|2026-11-23T09:31:00|2026-11-23T09:31:01|2026-11-23T09:31:02|1-00:00:00|NonZeroExitCode${end}(null)${end}wrap${end}
`

  test('every job is one record, whatever its name is', () => {
    const jobs = parseJobs(output, end)
    expect(jobs.map(({ id }) => id)).toEqual([9, 1012, 3, 11])
    expect(jobs[0]).toMatchObject({
      reason: 'PartitionNodeLimit',
      comment: '',
      held: false,
      nodes: [],
      limitS: null,
    })
    expect(jobs[1]).toMatchObject({
      comment: 'gpuq:019abcde-0000-7000-8000-000000001000',
      held: true,
      gpus: 1,
      submittedAt: new Date('2026-11-23T09:41:47Z'),
      startedAt: null,
      startsAt: null,
      exitCode: null,
    })
    expect(jobs[2]).toMatchObject({ comment: 'we|rd\n "x"  é', name: 'a|b\nc', gpus: 2, nice: 5 })
    expect(jobs[3]).toMatchObject({
      nodes: ['n0', 'n2', 'n3'],
      gpus: 6,
      exitCode: 3,
      restarts: 1,
      startedAt: new Date('2026-11-23T09:31:01Z'),
      endedAt: new Date('2026-11-23T09:31:02Z'),
      limitS: 24 * 3600,
    })
  })

  test('no jobs are no records; a cut output is an error', () => {
    expect(parseJobs('', end)).toEqual([])
    expect(() => parseJobs(output.slice(0, -20), end)).toThrow('ends unexpectedly')
    expect(() => parseJobs(`slurm: what${end}${end}${end}\n`, end)).toThrow('unknown record')
  })

  test('the separator is an end of a field, not a width', () => {
    expect(jobFormat('x1')).toMatch(/^JobID:\|,.*,Reason:x1,Comment:x1,Name:x1$/)
    expect(nodeFormat('x1')).toMatch(/^NodeList:\|,.*,Reason:x1$/)
  })
})

test('sacct: a record per job, with the exit code and the base state', () => {
  const record = [
    '12',
    'CANCELLED by 1000',
    'None',
    'ana',
    'main',
    'n[1-2]',
    'billing=2,cpu=2,gres/gpu=4,mem=200M,node=2',
    '2',
    '0:15',
    '2026-11-23T09:31:00',
    '2026-11-23T09:31:01',
    '2026-11-23T09:31:02',
    '00:10:00',
    'gpuq:1',
    'name\nof|job',
  ]
  const output = `${record.join(end)}${end}\n${['13', 'FAILED', ...record.slice(2, 8), '3:0', ...record.slice(9)].join(end)}${end}\n`
  const jobs = parseEnded(output, end)
  expect(jobs).toHaveLength(2)
  expect(jobs[0]).toMatchObject({
    id: 12,
    state: 'CANCELLED',
    nodes: ['n1', 'n2'],
    gpus: 4,
    exitCode: 128 + 15,
    comment: 'gpuq:1',
    name: 'name\nof|job',
  })
  expect(jobs[1]).toMatchObject({ id: 13, state: 'FAILED', exitCode: 3 })
  expect(parseEnded('', end)).toEqual([])
})

test('sinfo: a node in several partitions is one node', () => {
  // Recorded, but for the second reason.
  const output = `n0|mixed|main*|1/15/0/16|20000|20000|gpu:a100:8|gpu:a100:2(IDX:0-1),shard:0|none${end}
n0|mixed|short|1/15/0/16|20000|20000|gpu:a100:8|gpu:a100:2(IDX:0-1),shard:0|none${end}
n2|idle+drain|main*|0/0/16/16|20000|0|gpu:8,shard:32|gpu:0,shard:(null):1(IDX:0)|a|b
"c" é${end}
`
  expect(parseNodes(output, end)).toEqual([
    {
      name: 'n0',
      states: ['MIXED'],
      reason: null,
      partitions: ['main', 'short'],
      cpus: 16,
      usedCpus: 1,
      memoryMib: 20_000,
      usedMemoryMib: 20_000,
      gpus: [{ type: 'a100', count: 8, used: 2 }],
    },
    {
      name: 'n2',
      states: ['IDLE', 'DRAIN'],
      reason: 'a|b\n"c" é',
      partitions: ['main'],
      cpus: 16,
      usedCpus: 0,
      memoryMib: 20_000,
      usedMemoryMib: 0,
      gpus: [{ type: null, count: 8, used: 0 }],
    },
  ])
})

test('partitions and durations', () => {
  const output =
    'PartitionName=main AllowGroups=ALL Default=YES QoS=N/A MaxNodes=UNLIMITED MaxTime=UNLIMITED Nodes=n[0-3] State=UP TotalCPUs=64 TotalNodes=4\nPartitionName=short Default=NO MaxNodes=1 MaxTime=1-01:00:00 State=DRAIN TotalNodes=2\n\n'
  expect(parsePartitions(output)).toEqual([
    { name: 'main', isDefault: true, state: 'UP', nodes: 4, maxNodes: null, maxTimeS: null },
    { name: 'short', isDefault: false, state: 'DRAIN', nodes: 2, maxNodes: 1, maxTimeS: 90_000 },
  ])
  expect(parseDuration('00:30')).toBe(30)
  expect(parseDuration('UNLIMITED')).toBeNull()
})

test('lists of hosts', () => {
  expect(expandHostlist('')).toEqual([])
  expect(expandHostlist('n0')).toEqual(['n0'])
  expect(expandHostlist('gpu[08-10,12],login')).toEqual(['gpu08', 'gpu09', 'gpu10', 'gpu12', 'login'])
  expect(expandHostlist('r[1-2]n[0-1]')).toEqual(['r1n0', 'r1n1', 'r2n0', 'r2n1'])
  expect(expandHostlist('a[1-2]-ib,b')).toEqual(['a1-ib', 'a2-ib', 'b'])
})

test('generic resources of several versions', () => {
  expect(parseGpus('gpu:8')).toEqual([{ type: null, count: 8 }])
  expect(parseGpus('gres/gpu:a100:2')).toEqual([{ type: 'a100', count: 2 }])
  expect(parseGpus('gpu:a100:4(S:0-1),gpu:h100:2(S:0,1),shard:8')).toEqual([
    { type: 'a100', count: 4 },
    { type: 'h100', count: 2 },
  ])
  expect(parseGpus('gpu')).toEqual([{ type: null, count: 1 }])
  expect(parseGpus('gpu:(null):2(IDX:0-1)')).toEqual([{ type: null, count: 2 }])
  expect(parseGpus('shard:2,gpumem:3')).toEqual([])
  expect(parseNodeGpus('gpu:a100:8,gpu:2', 'gpu:a100:3(IDX:0-2),gpu:1(IDX:0)')).toEqual([
    { type: 'a100', count: 8, used: 3 },
    { type: null, count: 2, used: 1 },
  ])
})

test('the GPUs of a job, however it asked for them', () => {
  const none = { tres: 'cpu=1', perNode: 'N/A', perJob: 'N/A', perTask: 'N/A', nodes: 2, tasks: 4 }
  expect(countJobGpus(none)).toBe(0)
  expect(countJobGpus({ ...none, perNode: 'gres:gpu:a100:2' })).toBe(4)
  expect(countJobGpus({ ...none, perJob: 'gres/gpu:3' })).toBe(3)
  expect(countJobGpus({ ...none, perTask: 'gres:gpu:2' })).toBe(8)
  expect(countJobGpus({ ...none, perNode: 'gres:gpu:2', tres: 'cpu=2,gres/gpu=6,gres/gpu:a100=6' })).toBe(6)
})

test('exit codes, job ids and minutes', () => {
  expect([0, 768, 9, 256].map(exitCodeOf)).toEqual([0, 3, 137, 1])
  expect(parseSubmitted('12\n')).toBe(12)
  expect(parseSubmitted('12;cluster\n')).toBe(12)
  expect(parseSubmitted('')).toBeNull()
  expect([1, 60, 61].map(toMinutes)).toEqual([1, 1, 2])
})

describe('messages of Slurm 22.05', () => {
  test.each([
    'sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)',
    'slurm_load_jobs error: Socket timed out on send/recv operation',
    'Unexpected message received for job 3',
    'scontrol: error: If munged is up, restart with --num-threads=10\nsbatch: error: Munge encode failed: Failed to access "/run/munge/munge.socket.2": No such file or directory',
    'sbatch: error: Batch job submission failed: Protocol authentication error',
    'sbatch: fatal: Could not establish a configuration source',
  ])('unavailable: %s', (message) => {
    expect(toSlurmError(message)).toBeInstanceOf(SlurmUnavailable)
  })

  test.each([
    [
      'sbatch: error: invalid partition specified: nope\nsbatch: error: Batch job submission failed: Invalid partition name specified',
      'invalid partition specified: nope; Batch job submission failed: Invalid partition name specified',
    ],
    [
      'sbatch: error: Batch job submission failed: Requested node configuration is not available',
      'Batch job submission failed: Requested node configuration is not available',
    ],
    [
      "sbatch: error: AssocMaxSubmitJobLimit\nsbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)",
      "AssocMaxSubmitJobLimit; Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)",
    ],
    [
      'sudo: unknown user nosuch\nsudo: error initializing audit plugin sudoers_audit',
      'unknown user nosuch; error initializing audit plugin sudoers_audit',
    ],
  ])('refused: %s', (message, text) => {
    const error = toSlurmError(message)
    expect(error).toBeInstanceOf(SlurmRefusal)
    expect(error.message).toBe(text)
  })
})
