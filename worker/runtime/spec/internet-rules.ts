import { nonPublicRanges } from '@/lib/contract/ip-ranges'
import { internetBridge } from './network-spec'

/** What differs between nodes. */
export interface RulePolicy {
  /** IPv4 ranges that jobs may reach although they are not public. */
  allowed: readonly string[]
  /** The host's name servers. Engines up to 26 send the queries of a job from the job's own network. */
  nameservers: readonly string[]
}

/** The rules that are wanted for one protocol family. */
export interface RuleSet {
  /** Per chain of gpuq, in order, without `-A CHAIN`. */
  chains: Readonly<Record<string, readonly string[]>>
  /** gpuq's chain for packets that the host forwards, and for those to the host itself. */
  forwarded: string
  toHost: string
}

const forwardedChain = 'GPUQ-JOBS'
const hostChain = 'GPUQ-JOBS-HOST'
/** The chain that Docker keeps for the admin's rules, before its own. */
const dockerChain = 'DOCKER-USER'

/** The port of VXLAN: a packet to another node could enter the network of another job. */
const noVxlan = '-p udp -m udp --dport 4789 -j DROP'

/**
 * Rules for packets from the jobs' bridge. Jobs reach public addresses, the ranges that the admin allows, and the name
 * servers on their port. An address of the host is refused even if it is public. Written as `iptables -S` prints them.
 */
export function rules4({ allowed, nameservers }: RulePolicy): RuleSet {
  const exceptions = [
    noVxlan,
    ...nameservers.flatMap((address) => [
      `-d ${address}/32 -p udp -m udp --dport 53 -j RETURN`,
      `-d ${address}/32 -p tcp -m tcp --dport 53 -j RETURN`,
    ]),
    ...allowed.map((range) => `-d ${range} -j RETURN`),
  ]
  return {
    chains: {
      [forwardedChain]: [...exceptions, ...nonPublicRanges.map((range) => `-d ${range} -j DROP`)],
      [hostChain]: [...exceptions, '-j DROP'],
    },
    forwarded: forwardedChain,
    toHost: hostChain,
  }
}

/** The jobs' network has no IPv6. These rules hold even if an engine gives it some. */
export const rules6: RuleSet = {
  chains: { [forwardedChain]: ['-j DROP'] },
  forwarded: forwardedChain,
  toHost: forwardedChain,
}

/**
 * Returns the input for `iptables-restore --noflush` that restores the rules in one step; null if they are complete.
 * @param listed the output of `iptables -S`.
 */
export function planRules(listed: string, { chains, forwarded, toHost }: RuleSet): string | null {
  const jumps = [jump(forwardHook(listed), forwarded), jump('INPUT', toHost)]
  const complete =
    Object.entries(chains).every(([chain, rules]) => isSame(rulesOf(listed, chain), rules)) &&
    jumps.every(({ chain, rule }) => rulesOf(listed, chain)[0] === rule) &&
    // Two workers that restore at once insert two of each.
    deleteJumps(listed).length === jumps.length
  if (complete) return null
  return script([
    ...Object.keys(chains).map((chain) => `:${chain} - [0:0]`),
    ...Object.entries(chains).flatMap(([chain, rules]) => rules.map((rule) => `-A ${chain} ${rule}`)),
    ...deleteJumps(listed),
    // First, because an earlier rule could accept the packet.
    ...jumps.map(({ chain, rule }) => `-I ${chain} 1 ${rule}`),
  ])
}

/** Returns the input for `iptables-restore --noflush` that removes everything; null if there is nothing. */
export function planRemoval(listed: string): string | null {
  const own = [forwardedChain, hostChain].filter((chain) => listed.includes(`-N ${chain}\n`))
  const jumps = deleteJumps(listed)
  if (own.length === 0 && jumps.length === 0) return null
  return script([...jumps, ...own.flatMap((chain) => [`-F ${chain}`]), ...own.map((chain) => `-X ${chain}`)])
}

/**
 * Docker's chain for such rules comes first while the engine's own rules are in place. Without it, for example after
 * a flush, the rules are for FORWARD itself.
 */
function forwardHook(listed: string): string {
  return rulesOf(listed, 'FORWARD')[0] === `-j ${dockerChain}` ? dockerChain : 'FORWARD'
}

const jump = (chain: string, target: string) => ({ chain, rule: `-i ${internetBridge} -j ${target}` })

function deleteJumps(listed: string): string[] {
  return ['INPUT', 'FORWARD', dockerChain].flatMap((chain) =>
    rulesOf(listed, chain)
      .filter((rule) => [forwardedChain, hostChain].some((target) => rule === jump(chain, target).rule))
      .map((rule) => `-D ${chain} ${rule}`),
  )
}

/** Some versions leave out the name of a match that the protocol implies. */
function isSame(listed: readonly string[], wanted: readonly string[]): boolean {
  const plain = (rules: readonly string[]) => rules.join('\n').replaceAll(/ -m (udp|tcp)\b/g, '')
  return plain(listed) === plain(wanted)
}

function rulesOf(listed: string, chain: string): string[] {
  const start = `-A ${chain} `
  return listed
    .split('\n')
    .filter((line) => line.startsWith(start))
    .map((line) => line.slice(start.length).trim())
}

const script = (lines: string[]): string => ['*filter', ...lines, 'COMMIT', ''].join('\n')
