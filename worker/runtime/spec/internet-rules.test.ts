import { describe, expect, it } from 'vitest'
import { planRemoval, planRules, rules4, rules6 } from './internet-rules'

const policy = { allowed: ['10.2.0.0/16'], nameservers: ['10.0.0.2'] }
const wanted = rules4(policy)
const bridge = '-i gpuq-internet'
const docker = [
  '-P INPUT ACCEPT',
  '-P FORWARD DROP',
  '-N DOCKER-USER',
  '-A FORWARD -j DOCKER-USER',
  '-A FORWARD -i docker0 ! -o docker0 -j ACCEPT',
  '-A DOCKER-USER -j RETURN',
]

/** What `iptables -S` prints after `iptables-restore --noflush` of the plan. */
function apply(listed: string, plan: string | null): string {
  const lines = listed.split('\n').filter(Boolean)
  for (const line of (plan ?? '').split('\n')) {
    const [command = '', chain = ''] = line.split(' ')
    if (command.startsWith(':')) {
      const name = command.slice(1)
      const kept = lines.filter((other) => !other.startsWith(`-A ${name} `) && other !== `-N ${name}`)
      lines.splice(0, lines.length, ...kept, `-N ${name}`)
    }
    if (command === '-A') lines.push(line)
    if (command === '-D') lines.splice(lines.indexOf(line.replace('-D', '-A')), 1)
    if (command === '-I') {
      const rule = `-A ${chain} ${line.split(' ').slice(3).join(' ')}`
      const first = lines.findIndex((other) => other.startsWith(`-A ${chain} `))
      lines.splice(first < 0 ? lines.length : first, 0, rule)
    }
    if (command === '-F')
      lines.splice(0, lines.length, ...lines.filter((other) => !other.startsWith(`-A ${chain} `)))
    if (command === '-X') lines.splice(lines.indexOf(`-N ${chain}`), 1)
  }
  return `${lines.join('\n')}\n`
}
const listing = (lines: string[]) => `${lines.join('\n')}\n`
const restored = (lines: string[], rules = wanted) => apply(listing(lines), planRules(listing(lines), rules))
const firstOf = (listed: string, chain: string) =>
  listed.split('\n').find((line) => line.startsWith(`-A ${chain} `))

describe('the rules for jobs with internet access', () => {
  it('are complete after they were made once', () => {
    const listed = restored(docker)
    expect(planRules(listed, wanted)).toBeNull()
    expect(firstOf(listed, 'DOCKER-USER')).toBe(`-A DOCKER-USER ${bridge} -j GPUQ-JOBS`)
    expect(firstOf(listed, 'INPUT')).toBe(`-A INPUT ${bridge} -j GPUQ-JOBS-HOST`)
  })

  it('let jobs reach name servers on one port, then allowed ranges, and drop private ranges and the host', () => {
    const { 'GPUQ-JOBS': forwarded = [], 'GPUQ-JOBS-HOST': toHost = [] } = wanted.chains
    expect(forwarded.slice(0, 4)).toEqual([
      '-p udp -m udp --dport 4789 -j DROP',
      '-d 10.0.0.2/32 -p udp -m udp --dport 53 -j RETURN',
      '-d 10.0.0.2/32 -p tcp -m tcp --dport 53 -j RETURN',
      '-d 10.2.0.0/16 -j RETURN',
    ])
    for (const range of ['10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'])
      expect(forwarded.slice(4)).toContain(`-d ${range} -j DROP`)
    expect(toHost).toEqual([...forwarded.slice(0, 4), '-j DROP'])
    expect(Object.values(rules6.chains).flat()).toEqual(['-j DROP'])
  })

  it.each([
    [
      'everything was flushed',
      () => ['-P INPUT ACCEPT', '-P FORWARD ACCEPT', '-N DOCKER-USER', '-N GPUQ-JOBS'],
    ],
    ['one rule was deleted', (all: string[]) => all.filter((line) => !line.includes('169.254.0.0/16'))],
    ['a jump was deleted', (all: string[]) => all.filter((line) => !line.startsWith('-A INPUT'))],
    ['a rule was added', (all: string[]) => ['-A GPUQ-JOBS -j ACCEPT', ...all]],
    ['another rule comes before the jump', (all: string[]) => ['-A INPUT -j ACCEPT', ...all]],
    [
      'two workers restored them at once',
      (all: string[]) => [`-A INPUT ${bridge} -j GPUQ-JOBS-HOST`, ...all],
    ],
    ['the engine made its chains again', (all: string[]) => ['-A FORWARD -j DOCKER-USER', ...all]],
  ])('are restored if %s', (_, damage) => {
    for (const before of [docker, docker.slice(0, 2)]) {
      const damaged = damage(restored(before).split('\n'))
      const listed = restored(damaged)
      expect(planRules(listed, wanted)).toBeNull()
      expect(listed.split('\n').filter((line) => line.startsWith(`-A INPUT ${bridge}`))).toHaveLength(1)
    }
  })

  it('are for FORWARD itself while the chain of the engine is not used', () => {
    const listed = restored(docker.filter((line) => line !== '-A FORWARD -j DOCKER-USER'))
    expect(firstOf(listed, 'FORWARD')).toBe(`-A FORWARD ${bridge} -j GPUQ-JOBS`)
  })

  it('are recognized without the names of the matches', () => {
    expect(planRules(restored(docker).replaceAll(' -m udp', '').replaceAll(' -m tcp', ''), wanted)).toBeNull()
  })

  it('are removed with their chains', () => {
    const listed = restored(docker)
    expect(apply(listed, planRemoval(listed))).not.toContain('GPUQ')
    expect(planRemoval(listing(docker))).toBeNull()
    const listed6 = restored([], rules6)
    expect(apply(listed6, planRemoval(listed6))).not.toContain('GPUQ')
  })
})
