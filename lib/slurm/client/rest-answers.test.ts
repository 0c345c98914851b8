import { describe, expect, test } from 'vitest'
import { readJobs, readNodes, readPartitions } from './rest-answers'
import { toRestError } from './rest-connection'
import { submissionBody } from './rest-submission'
import { readToken, renewalTime } from './rest-token'
import { SlurmRefusal, type SlurmSubmission, SlurmUnavailable } from './slurm-client'

const submission: SlurmSubmission = {
  name: 'gpuq',
  comment: 'gpuq:1',
  script: '#!/bin/sh\necho hello\n',
  nodes: 2,
  gpus: 2,
  gpuType: 'a100',
  shards: 0,
  cpus: 4,
  memoryMib: 300,
  timeLimitS: 61,
  graceS: 30,
  nice: 5,
  account: 'lab',
  partition: null,
  qos: null,
  reservation: null,
  dependency: null,
  requeue: true,
  unixUser: null,
}

describe('answers of slurmrestd', () => {
  test('v0.0.38, recorded: numbers are plain, null is none, a state is a word', () => {
    const record = {
      job_id: 11,
      job_state: 'FAILED',
      state_reason: 'NonZeroExitCode',
      state_description: '',
      comment: 'gpuq:x',
      user_name: 'ana',
      name: 'wrap',
      partition: 'main',
      nodes: 'n[0-1]',
      tres_alloc_str: 'cpu=2,mem=200M,node=2,billing=2',
      tres_per_node: 'gres:gpu:2',
      tres_per_job: '',
      tres_per_task: '',
      node_count: 2,
      tasks: 2,
      cpus: 2,
      nice: null,
      priority: 4294901751,
      restart_cnt: 0,
      exit_code: 768,
      submit_time: 1795426200,
      start_time: 1795426201,
      end_time: 1795426202,
    }
    const waiting = {
      ...record,
      job_id: 3,
      job_state: 'PENDING',
      nodes: '',
      nice: 5,
      priority: 0,
      start_time: 0,
    }
    const [failed, held] = readJobs({ jobs: [record, waiting], errors: [] })
    expect(failed).toMatchObject({
      id: 11,
      state: 'FAILED',
      nodes: ['n0', 'n1'],
      gpus: 4,
      nice: 0,
      held: false,
      exitCode: 3,
      endedAt: new Date(1795426202_000),
      startsAt: null,
    })
    expect(held).toMatchObject({
      held: true,
      nice: 5,
      exitCode: null,
      startsAt: null,
      startedAt: null,
      nodes: [],
    })
  })

  test('v0.0.40, as documented: numbers are objects, states are lists', () => {
    const value = (number: number) => ({ set: true, infinite: false, number })
    const job = {
      job_id: 12,
      job_state: ['COMPLETED', 'COMPLETING'],
      state_reason: 'None',
      comment: 'gpuq:y',
      user_name: 'ana',
      name: 'gpuq',
      partition: 'main',
      nodes: 'n0',
      tres_alloc_str: 'cpu=2,gres/gpu=3',
      node_count: value(1),
      tasks: value(1),
      cpus: value(2),
      nice: 0,
      priority: value(100),
      restart_cnt: 1,
      exit_code: {
        status: ['SUCCESS'],
        return_code: value(0),
        signal: { id: { set: false, number: 0 }, name: '' },
      },
      submit_time: value(1795426200),
      start_time: value(1795426201),
      end_time: { set: true, infinite: true, number: 0 },
    }
    const killed = {
      ...job,
      job_state: ['FAILED'],
      exit_code: { status: ['SIGNALED'], return_code: value(0), signal: { id: value(9), name: 'Killed' } },
    }
    expect(readJobs({ jobs: [job, killed] })).toMatchObject([
      { state: 'COMPLETING', gpus: 3, cpus: 2, reason: null, restarts: 1, exitCode: null, endedAt: null },
      { state: 'FAILED', exitCode: 137 },
    ])
    expect(
      readNodes({
        nodes: [
          {
            name: 'n0',
            state: ['IDLE', 'DRAIN'],
            reason: 'disk',
            partitions: ['main'],
            cpus: 16,
            alloc_cpus: 0,
            real_memory: 1000,
            alloc_memory: 0,
            gres: 'gpu:a100:8(S:0-1)',
            gres_used: 'gpu:a100:0(IDX:N/A)',
          },
        ],
      }),
    ).toMatchObject([{ states: ['IDLE', 'DRAIN'], gpus: [{ type: 'a100', count: 8, used: 0 }] }])
    expect(
      readPartitions({
        partitions: [
          {
            name: 'main',
            partition: { state: ['UP'] },
            nodes: { configured: 'n[0-3]', total: 4 },
            maximums: {
              nodes: { set: true, infinite: false, number: 2 },
              time: { set: false, infinite: true, number: 0 },
            },
          },
        ],
      }),
    ).toEqual([{ name: 'main', isDefault: false, state: 'UP', nodes: 4, maxNodes: 2, maxTimeS: null }])
  })
})

describe('submissions', () => {
  test('v0.0.38', () => {
    expect(submissionBody(submission, 38)).toMatchObject({
      script: submission.script,
      job: { nodes: 2, gres: 'gpu:a100:2', time_limit: 2, nice: 5, account: 'lab', memory_per_node: 300 },
    })
    expect(submissionBody(submission, 38)).not.toHaveProperty('job.partition')
  })

  test('v0.0.40 and later', () => {
    expect(submissionBody(submission, 40)).toMatchObject({
      script: submission.script,
      job: {
        minimum_nodes: 2,
        maximum_nodes: 2,
        tres_per_node: 'gres/gpu:a100:2',
        kill_warning_flags: ['BATCH_JOB'],
      },
    })
  })

  test('the script checks what slurmrestd does not ensure', () => {
    const guarded = { ...submission, requeue: false, unixUser: 'ana' }
    expect(submissionBody(guarded, 38)).toMatchObject({
      script:
        '#!/bin/sh\n[ -z "$SLURM_RESTART_COUNT" ] || exit 75\n[ "$(id -un)" = \'ana\' ] || exit 75\necho hello\n',
    })
  })
})

test('a refusal has a code of Slurm; everything else is unavailable', () => {
  const refused = toRestError([{ error_code: 2000, error: 'Invalid partition name specified' }], 500)
  expect(refused).toBeInstanceOf(SlurmRefusal)
  expect(refused.message).toBe('Invalid partition name specified')
  for (const errors of [
    [{ error_number: -1, error: 'Unspecified error', description: 'Failed while looking for jobs' }],
    [{ error_code: 1800, error: 'Unable to contact slurm controller (connect failure)' }],
    [{ error_number: 5005, error: 'Zero Bytes were transmitted or received' }],
    [],
  ]) {
    expect(toRestError(errors, 500)).toBeInstanceOf(SlurmUnavailable)
  }
})

test('tokens are read, and renewed before they expire', () => {
  const token = `x.${Buffer.from(JSON.stringify({ exp: 1100 })).toString('base64url')}.signature`
  expect(readToken(`SLURM_JWT=${token}\n`)).toBe(token)
  expect(readToken(`${token}\n`)).toBe(token)
  expect(readToken('scontrol: error\n')).toBeNull()
  expect(renewalTime(token, 1_000_000)).toBe(1_080_000)
  expect(renewalTime('not a token', 0)).toBe(240_000)
})
