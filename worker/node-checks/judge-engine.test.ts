import { describe, expect, it } from 'vitest'
import type { EngineProperties } from '../runtime/engine-info'
import * as rules from './judge-engine'

const sound: EngineProperties = {
  product: 'Docker',
  limitations: [],
  reportsMemoryKills: true,
  version: '29.5.0',
  versions: { engine: '29.5.0', runc: '1.3.6', toolkit: null },
  seccomp: true,
  limits: { memory: true, swap: true, cpu: true, processes: true },
  liveRestore: true,
  cgroupVersion: '2',
  directory: '/var/lib/docker',
}
const engineOf = (changes: Partial<EngineProperties>) =>
  rules.judgeEngine({ properties: { ...sound, ...changes } })
const versions = (changes: Partial<EngineProperties['versions']>) => ({
  versions: { ...sound.versions, ...changes },
})

describe('the engine', () => {
  it('is a failure if it does not answer', () => {
    expect(rules.judgeEngine({ problem: 'The engine is unreachable.' })).toMatchObject({
      status: 'failure',
      found: 'The engine is unreachable.',
      action: expect.stringContaining('Start Docker'),
    })
  })

  it('is a warning with known vulnerabilities', () => {
    expect(engineOf(versions({ engine: '20.10.24+dfsg1' }))).toMatchObject({
      status: 'warning',
      found: 'Docker Engine 20.10.24+dfsg1 is older than 29.5 and has known container escapes.',
      action: expect.stringContaining('Update Docker Engine to 29.5'),
    })
    expect(rules.judgeRunc({ ...sound, ...versions({ runc: '1.1.5+ds1' }) })).toMatchObject({
      status: 'warning',
      action: expect.stringContaining('Update runc to 1.3.6'),
    })
  })

  it('is ok from the minimum version on', () => {
    expect(engineOf({})).toEqual({ status: 'ok', found: 'Docker Engine 29.5.0.', action: null })
    expect(rules.judgeRunc(sound).status).toBe('ok')
  })

  it('may be Podman: says what it cannot do, and warns if memory kills are not seen', () => {
    const podman = {
      product: 'Podman',
      version: '4.3.1',
      limitations: ['It runs no jobs with internet access.'],
    } as const
    expect(engineOf(podman)).toEqual({
      status: 'ok',
      found: 'Podman 4.3.1. It runs no jobs with internet access.',
      action: null,
    })
    expect(engineOf({ ...podman, reportsMemoryKills: false })).toMatchObject({
      status: 'warning',
      found: expect.stringContaining('exit code 137'),
      action: expect.stringContaining('/dev/kmsg'),
    })
  })

  it('is not applicable without a known minimum', () => {
    expect(engineOf(versions({ engine: null })).status).toBe('not_applicable')
    expect(rules.judgeRunc({ ...sound, ...versions({ runc: null }) }).status).toBe('not_applicable')
  })
})

it.each([
  ['seccomp', rules.judgeSeccomp(sound), rules.judgeSeccomp({ ...sound, seccomp: false }), 'failure'],
  [
    'limits',
    rules.judgeLimits(sound),
    rules.judgeLimits({ ...sound, limits: { ...sound.limits, swap: false } }),
    'failure',
  ],
  [
    'live-restore',
    rules.judgeLiveRestore(sound),
    rules.judgeLiveRestore({ ...sound, liveRestore: false }),
    'warning',
  ],
  ['cgroups', rules.judgeCgroups(sound), rules.judgeCgroups({ ...sound, cgroupVersion: '1' }), 'warning'],
])('judges %s', (_, good, bad, status) => {
  expect(good).toMatchObject({ status: 'ok', action: null })
  expect(bad).toMatchObject({ status, action: expect.any(String) })
})

it('does not judge an unknown cgroup version', () => {
  expect(rules.judgeCgroups({ ...sound, cgroupVersion: null }).status).toBe('not_applicable')
})

it.each([
  ['all in place', {}, 'ok'],
  ['none needed yet', { rules: 'unused' }, 'ok'],
  ['some missing', { rules: 'incomplete' }, 'warning'],
  ['unreadable', { rules: 'unknown' }, 'warning'],
  ['switched off', { enabled: false }, 'warning'],
  ['impossible, but no environment needs them', { problem: 'iptables is missing.', used: false }, 'warning'],
  ['impossible, and nobody knows whether they are needed', { problem: 'No.', used: null }, 'warning'],
  ['impossible, and needed', { problem: 'iptables is missing.', used: true }, 'failure'],
] as const)('judges network rules: %s', (_, changes, status) => {
  const facts = { enabled: true, problem: null, rules: 'complete', used: true, ...changes } as const
  const judged = rules.judgeNetworkRules(facts)
  expect(judged.status).toBe(status)
  expect(judged.action === null).toBe(status === 'ok')
})
