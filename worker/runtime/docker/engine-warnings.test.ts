import { describe, expect, it } from 'vitest'
import {
  describeEngine,
  engineInfoSchema,
  engineVersionSchema,
  hasAnyCgroup,
  hasSelinux,
  isBelow,
  isRootless,
  parseToolkitVersion,
  toProperties,
} from './engine-warnings'

const sound = {
  ID: 'x',
  ServerVersion: '29.5.0',
  NCPU: 2,
  MemTotal: 1,
  SecurityOptions: ['name=seccomp,profile=builtin'],
}
const parts = (engine: string, runc: string) => ({
  Components: [
    { Name: 'Engine', Version: engine },
    { Name: 'containerd', Version: '1.0' },
    { Name: 'runc', Version: runc },
  ],
})
const docker = { limitations: [], reportsMemoryKills: () => true }
const describeFor = (info: object, version: object, toolkit: string | null = null) =>
  describeEngine(
    toProperties(engineInfoSchema.parse(info), engineVersionSchema.parse(version), toolkit, docker),
  )

it('recognizes engines with SELinux and rootless engines', () => {
  const parsed = (...SecurityOptions: string[]) => engineInfoSchema.parse({ ...sound, SecurityOptions })
  expect([hasSelinux(parsed('name=selinux')), hasSelinux(parsed('name=seccomp'))]).toEqual([true, false])
  expect([isRootless(parsed('name=rootless')), isRootless(parsed())]).toEqual([true, false])
})

it('puts containers below any cgroup only where the engine manages them', () => {
  const can = (CgroupDriver: string) => hasAnyCgroup(engineInfoSchema.parse({ ...sound, CgroupDriver }))
  expect([can('cgroupfs'), can('systemd')]).toEqual([true, false])
})

describe('describeEngine', () => {
  it('names each component below its minimum version', () => {
    expect(describeFor(sound, parts('29.5.0', '1.3.6'), '1.18.2')).toEqual([])
    expect(describeFor(sound, parts('30.0.1', '1.4.0'))).toEqual([])
    const warnings = describeFor(sound, parts('20.10.24+dfsg1', '1.1.5+ds1'), '1.17.8')
    expect(warnings).toHaveLength(3)
    expect(warnings.join()).toMatch(
      /Docker Engine 20.10.24.*29\.5.*runc 1\.1\.5.*1\.3\.6.*NVIDIA container toolkit 1\.17\.8/,
    )
  })

  it('knows the version of runc below the runtime of the NVIDIA toolkit', () => {
    const { Components } = parts('29.5.0', '1.1.5')
    const nvidia = Components.map((part) => (part.Name === 'runc' ? { ...part, Name: 'nvidia' } : part))
    expect(describeFor(sound, { Components: nvidia })).toEqual([expect.stringContaining('runc 1.1.5')])
  })

  it('names each isolation feature that the engine lacks', () => {
    const weak = {
      MemoryLimit: false,
      SwapLimit: false,
      CpuCfsQuota: false,
      PidsLimit: false,
      LiveRestoreEnabled: false,
    }
    const warnings = describeFor(
      { ...sound, ...weak, SecurityOptions: ['name=apparmor'] },
      parts('29.5', '1.3.6'),
    )
    expect(warnings).toHaveLength(6)
  })

  it('ignores components that another engine does not have', () => {
    expect(describeFor(sound, { Components: [{ Name: 'Podman Engine', Version: '4.3.1' }] })).toEqual([])
    expect(describeFor(sound, {})).toEqual([])
  })
})

describe('isBelow', () => {
  it('compares numbers instead of text', () => {
    expect(isBelow('9.0', '29.5')).toBe(true)
    expect(isBelow('29.10', '29.5')).toBe(false)
    expect(isBelow('1.3.6~ds1', '1.3.6')).toBe(false)
    expect(isBelow('1.3', '1.3.6')).toBe(true)
    expect(isBelow('v1.3.7-rc1', '1.3.6')).toBe(false)
  })
})

describe('parseToolkitVersion', () => {
  it('parses the output of nvidia-ctk', () => {
    expect(parseToolkitVersion('NVIDIA Container Toolkit CLI version 1.17.8\ncommit: f202b80a9b9d')).toBe(
      '1.17.8',
    )
    expect(parseToolkitVersion('nothing of use')).toBeNull()
  })
})
