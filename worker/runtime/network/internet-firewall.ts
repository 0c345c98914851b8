import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { errorCode } from '@/lib/contract/error-code'
import { logger } from '@/lib/logger'
import { RuntimeFault } from '../runtime'
import { planRemoval, planRules, type RulePolicy, type RuleSet, rules4, rules6 } from '../spec/internet-rules'
import { readNameservers } from './nameservers'

type Program = 'iptables' | 'ip6tables' | 'iptables-restore' | 'ip6tables-restore'

/** Runs a program of iptables in the engine's network namespace with an input, and returns its output. */
export type RunIptables = (program: Program, args: string[], input?: string) => Promise<string>

export interface FirewallOptions {
  /** False: another firewall of the admin has this duty. */
  enabled: boolean
  /** IPv4 ranges that jobs may reach although they are not public. */
  allowed: readonly string[]
  /** The name servers of the host; default: those of its resolver's configuration. */
  nameservers?: () => Promise<string[]>
  run?: RunIptables
}

const timeoutMs = 10_000
/** Seconds to wait for another program that changes the rules. */
const lockWait = ['--wait=5']
/** Another worker of this machine may change the rules between a look and a change. */
const attempts = 6

export const runIptables: RunIptables = (program, args, input = '') =>
  new Promise((resolve, reject) => {
    const options = { timeout: timeoutMs, env: { ...process.env, LC_ALL: 'C' } }
    const child = execFile(program, args, options, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    )
    // A program that ends early leaves its input unread. Its exit says why.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })

/**
 * The host's rules for jobs with internet access: they keep them from everything that is not public. All workers of
 * a machine share the rules.
 */
export class InternetFirewall {
  private readonly run: RunIptables
  private readonly nameservers: () => Promise<string[]>

  constructor(private readonly options: FirewallOptions) {
    this.run = options.run ?? runIptables
    this.nameservers = options.nameservers ?? readNameservers
  }

  get enabled(): boolean {
    return this.options.enabled
  }

  /**
   * Returns a warning for the admin if jobs with internet access cannot start here or are not restricted.
   * @param isEngineElsewhere whether the engine's network is certainly not that of this process.
   */
  async problem(isEngineElsewhere: boolean): Promise<string | null> {
    if (!this.enabled)
      return 'GPUQ_JOB_FIREWALL is false: jobs with internet access can reach this host and private networks, unless a firewall of yours prevents it.'
    if (isEngineElsewhere) return refusal(engineElsewhere)
    try {
      for (const { list } of this.families()) await this.run(list, [...lockWait, '-S'])
      return null
    } catch (error) {
      return refusal(explain(error))
    }
  }

  /**
   * Restores what is missing of the rules. Returns true if something was missing.
   * @throws RuntimeFault `internet_unavailable` if this is not possible.
   */
  async ensure(): Promise<boolean> {
    if (!this.enabled) return false
    const policy = await this.policy()
    try {
      let restored = false
      for (const { list, restore, v6 } of this.families())
        restored = (await this.ensureFamily(list, restore, v6 ? rules6 : rules4(policy))) || restored
      return restored
    } catch (error) {
      throw internetUnavailable(explain(error), error)
    }
  }

  /** Whether all rules are in place. Changes nothing. */
  async isComplete(): Promise<boolean> {
    const policy = await this.policy()
    for (const { list, v6 } of this.families()) {
      const listed = await this.run(list, [...lockWait, '-S'])
      if (planRules(listed, v6 ? rules6 : rules4(policy)) !== null) return false
    }
    return true
  }

  private async policy(): Promise<RulePolicy> {
    return { allowed: this.options.allowed, nameservers: await this.nameservers() }
  }

  private async ensureFamily(list: Program, restore: Program, wanted: RuleSet): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      const plan = planRules(await this.run(list, [...lockWait, '-S']), wanted)
      if (plan === null) return attempt > 1
      if (attempt > attempts)
        throw new Error('Another program changes the rules of iptables all the time. Stop it.')
      try {
        await this.run(restore, [...lockWait, '--noflush'], plan)
      } catch (error) {
        if (attempt === attempts) throw error
      }
    }
  }

  /** Removes the rules. */
  async remove(): Promise<void> {
    if (!this.enabled) return
    for (const { list, restore } of this.families()) {
      const plan = planRemoval(await this.run(list, [...lockWait, '-S']))
      if (plan === null) continue
      await this.run(restore, [...lockWait, '--noflush'], plan).catch((error: unknown) =>
        // Another worker of this machine may have removed them.
        logger.debug({ err: error }, 'could not remove the firewall rules of jobs'),
      )
    }
  }

  private families(): { list: Program; restore: Program; v6: boolean }[] {
    return [
      { list: 'iptables', restore: 'iptables-restore', v6: false },
      // A kernel without IPv6 has no such table.
      ...(existsSync('/proc/net/if_inet6')
        ? [{ list: 'ip6tables', restore: 'ip6tables-restore', v6: true } as const]
        : []),
    ]
  }
}

export function internetUnavailable(why: string, cause?: unknown): RuntimeFault {
  return new RuntimeFault('internet_unavailable', refusal(why), { cause })
}

/** Rules have an effect only where the engine's bridge is: a remote or rootless engine has it somewhere else. */
export const engineElsewhere =
  "the worker is not in the engine's network namespace. Run it on the host network, with an engine on the same machine that is not rootless."

const refusal = (why: string) =>
  `Jobs with internet access cannot start on this node, because gpuq cannot keep them from private networks: ${why} ` +
  'If another firewall does this, set GPUQ_JOB_FIREWALL=false.'

/** Describes what this node lacks, and how to fix it. */
function explain(error: unknown): string {
  if (errorCode(error) === 'ENOENT') return 'iptables is missing. Install it.'
  const text = error instanceof Error ? error.message : String(error)
  if (/permission denied|not permitted|must be root/i.test(text))
    return "the worker may not change the host's firewall. Run it as root or with CAP_NET_ADMIN, on the host's network."
  const line = text.trim().split('\n').at(-1) ?? text
  return `iptables failed (${line.replace(/\.$/, '')}).`
}
