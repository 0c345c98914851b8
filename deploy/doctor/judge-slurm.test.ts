import { describe, expect, test } from 'vitest'
import type { SlurmNodeState } from '@/lib/slurm/client/slurm-client'
import * as rules from './judge-slurm'

const node = (name: string, gpus: number): SlurmNodeState => ({
  name,
  states: ['IDLE'],
  reason: null,
  partitions: ['main'],
  cpus: 16,
  usedCpus: 0,
  memoryMib: 1000,
  usedMemoryMib: 0,
  gpus: gpus > 0 ? [{ type: null, count: gpus, used: 0 }] : [],
})
const config = (values: Record<string, string>) => new Map(Object.entries(values))

describe('the rules of gpuq doctor --engine slurm', () => {
  test('versions before 22.05 are untested', () => {
    expect(rules.judgeVersion('22.05.8').status).toBe('ok')
    expect(rules.judgeVersion('24.11.1').status).toBe('ok')
    expect(rules.judgeVersion('21.08.8').status).toBe('warning')
    expect(rules.judgeVersion('20.11.2').status).toBe('warning')
  })

  test('a cluster that does not answer is a failure, with what to check for each transport', () => {
    expect(rules.judgeUnreachable('No answer.', true).action).toContain('GPUQ_SLURM_URL')
    expect(rules.judgeUnreachable('No answer.', false).action).toContain('scontrol ping')
  })

  test('the rules of gpuq doctor --engine slurm without accounting, gpuq must poll before Slurm forgets a job', () => {
    expect(rules.judgeAccounting(true, 300).status).toBe('ok')
    expect(rules.judgeAccounting(false, 300)).toMatchObject({
      status: 'warning',
      found: expect.stringContaining('300 s'),
    })
    const age = (seconds: number) => config({ MinJobAge: `${seconds} sec` })
    expect(rules.judgeMinJobAge(age(300), false, 2).status).toBe('ok')
    expect(rules.judgeMinJobAge(age(0), false, 2).status).toBe('ok')
    expect(rules.judgeMinJobAge(age(5), false, 2).status).toBe('failure')
    expect(rules.judgeMinJobAge(age(5), true, 2).status).toBe('warning')
    expect(rules.judgeMinJobAge(null, false, 2).status).toBe('not_applicable')
  })

  test('GPUs are in GresTypes and on nodes', () => {
    expect(rules.judgeGres(config({ GresTypes: '(null)' }), [node('n0', 0)]).status).toBe('failure')
    expect(rules.judgeGres(config({ GresTypes: 'gpu' }), [node('n0', 0)]).status).toBe('failure')
    expect(rules.judgeGres(config({ GresTypes: 'gpu,shard' }), [node('n0', 8), node('n1', 0)])).toMatchObject(
      {
        status: 'ok',
        found: '8 GPUs on 1 of 2 Slurm nodes.',
      },
    )
    expect(rules.judgeGres(null, [node('n0', 8)]).status).toBe('ok')
  })

  test('shards are used if both sides have them', () => {
    const shards = config({ GresTypes: 'gpu,shard' })
    const none = config({ GresTypes: 'gpu' })
    expect(rules.judgeShards(shards, 8).status).toBe('ok')
    expect(rules.judgeShards(shards, 0).status).toBe('warning')
    expect(rules.judgeShards(none, 8).status).toBe('failure')
    expect(rules.judgeShards(none, 0).status).toBe('not_applicable')
  })

  test('each node with GPUs has a worker of its name', () => {
    const nodes = [node('n0', 8), node('n1', 8), node('login', 0)]
    expect(rules.judgeWorkers(nodes, ['n0', 'n1']).status).toBe('ok')
    expect(rules.judgeWorkers(nodes, ['n0'])).toMatchObject({
      status: 'warning',
      found: expect.stringContaining('n1'),
    })
    expect(rules.judgeWorkers(nodes, []).status).toBe('failure')
    expect(rules.judgeWorkers(nodes, ['n0', 'n1', 'node-1']).found).toContain('node-1')
    expect(rules.judgeWorkers(nodes, null).status).toBe('not_applicable')
  })

  test('cgroups, directory and identity', () => {
    const cgroups = config({ ProctrackType: 'proctrack/cgroup', TaskPlugin: 'task/affinity,task/cgroup' })
    expect(rules.judgeCgroups(cgroups).status).toBe('ok')
    expect(
      rules.judgeCgroups(config({ ProctrackType: 'proctrack/linuxproc', TaskPlugin: 'task/none' })).status,
    ).toBe('warning')
    expect(rules.judgeDirectory('/run/gpuq', 'writable').status).toBe('ok')
    expect(rules.judgeDirectory('/run/gpuq', 'creatable').status).toBe('ok')
    expect(rules.judgeDirectory('/run/gpuq', 'refused').action).toContain('/run/gpuq')
    expect(rules.judgeIdentity('service', 'ana', null).status).toBe('not_applicable')
    expect(rules.judgeIdentity('user', null, null).status).toBe('warning')
    expect(rules.judgeIdentity('user', 'ana', null).status).toBe('ok')
    const sudo = { by: 'sudo', message: 'sudo: a password is required' } as const
    expect(rules.judgeIdentity('user', 'ana', sudo).action).toContain('NOPASSWD')
    const slurm = { by: 'slurm', message: 'Invalid account' } as const
    expect(rules.judgeIdentity('user', 'ana', slurm)).toMatchObject({
      status: 'warning',
      action: expect.stringContaining('sacctmgr add user ana account=ACCOUNT'),
    })
  })
})
