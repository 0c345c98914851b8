import {
  describeMissingLimits,
  describeOutdated,
  minimumVersions,
  noLiveRestore,
  noSeccomp,
} from '../runtime/docker/engine-warnings'
import type { EngineProperties } from '../runtime/engine-info'
import { failure, type Judgement, notApplicable, ok, warning } from './judgement'

/** The engine, or why it does not answer. */
export type EngineFacts = { properties: EngineProperties } | { problem: string }

/** Judges the engine's version. Everything below is judged only if it answers. */
export function judgeEngine(engine: EngineFacts): Judgement {
  if ('problem' in engine)
    return failure(
      engine.problem,
      'Start Docker or Podman, and let the user of the worker use its socket (DOCKER_HOST, or /var/run/docker.sock). Without it, no job runs on this node.',
    )
  const { product, version, versions } = engine.properties
  if (product === 'Podman') return judgePodman(engine.properties)
  return (
    outdated('engine', versions.engine) ??
    (versions.engine === null
      ? notApplicable(`The engine ${version} is not Docker. gpuq knows no minimum version of it.`)
      : ok(`Docker Engine ${versions.engine}.`))
  )
}

function judgePodman({ version, limitations, reportsMemoryKills }: EngineProperties): Judgement {
  const found = [`Podman ${version}.`, ...limitations].join(' ')
  if (reportsMemoryKills) return ok(found)
  return warning(
    `${found} The worker cannot read the log of the kernel, so a job that used too much memory seems to have failed with exit code 137.`,
    'Run the worker as root on the host, or give its container /dev/kmsg and CAP_SYSLOG.',
  )
}

/** Judges the version of the program that starts containers. */
export function judgeRunc({ versions: { runc } }: EngineProperties): Judgement {
  if (runc === null) return notApplicable('The engine reports no runc.')
  return outdated('runc', runc) ?? ok(`runc ${runc}.`)
}

function outdated(part: 'engine' | 'runc', version: string | null): Judgement | null {
  const found = describeOutdated(part, version)
  const { name, minimum } = minimumVersions[part]
  return found === null
    ? null
    : warning(
        found,
        `Update ${name} to ${minimum} or later. With live-restore, jobs continue during the update.`,
      )
}

/** Judges whether the engine filters the system calls of jobs. */
export function judgeSeccomp({ seccomp }: EngineProperties): Judgement {
  if (seccomp) return ok("The engine has seccomp. Each job runs under gpuq's own profile.")
  return failure(
    noSeccomp,
    'Use a kernel with CONFIG_SECCOMP and an engine that was built with seccomp, then restart the worker.',
  )
}

/** Judges whether the engine can limit what a job uses. */
export function judgeLimits({ limits }: EngineProperties): Judgement {
  const missing = describeMissingLimits(limits)
  if (missing.length === 0) return ok('The engine limits memory, swap, CPU and processes.')
  return failure(
    missing.join(' '),
    'Enable the missing cgroup controllers: use cgroup v2, or start a kernel for cgroup v1 with `cgroup_enable=memory swapaccount=1`. Then restart the engine.',
  )
}

/** Judges whether jobs survive a restart of the engine. */
export function judgeLiveRestore({ liveRestore }: EngineProperties): Judgement {
  if (liveRestore) return ok('Jobs continue while the engine restarts.')
  return warning(
    noLiveRestore,
    'Set "live-restore": true in /etc/docker/daemon.json, then run `systemctl reload docker`.',
  )
}

/** Judges the version of the kernel's control groups. */
export function judgeCgroups({ cgroupVersion }: EngineProperties): Judgement {
  if (cgroupVersion === null) return notApplicable('The engine does not report its cgroup version.')
  if (cgroupVersion !== '1') return ok(`cgroup v${cgroupVersion}.`)
  return warning(
    'cgroup v1. New versions of Docker and systemd no longer support it.',
    'Start the kernel with `systemd.unified_cgroup_hierarchy=1`, or update the operating system. No job may run meanwhile.',
  )
}

export interface NetworkFacts {
  /** GPUQ_JOB_FIREWALL. */
  enabled: boolean
  /** Why jobs with internet access cannot start; null: they can. */
  problem: string | null
  rules: 'unused' | 'complete' | 'incomplete' | 'unknown'
  /** Whether an environment gives its jobs internet access; null: unknown. */
  used: boolean | null
}

/** Judges the firewall rules that keep jobs with internet access from private networks. */
export function judgeNetworkRules({ enabled, problem, rules, used }: NetworkFacts): Judgement {
  if (!enabled)
    return warning(
      'GPUQ_JOB_FIREWALL is false: gpuq does not keep jobs with internet access from this host and from private networks.',
      'Check that a firewall of yours does this, or remove GPUQ_JOB_FIREWALL and restart the worker.',
    )
  if (problem !== null)
    return (used ? failure : warning)(
      problem,
      used
        ? 'Solve this, then restart the worker. Until then, jobs of environments with internet access fail on this node.'
        : 'Solve this before you give an environment internet access. Jobs without internet access are not affected.',
    )
  if (rules === 'unused')
    return ok('iptables works. gpuq adds its rules before the first job with internet access.')
  if (rules === 'complete') return ok('All rules are in place.')
  return warning(
    rules === 'unknown' ? 'The rules could not be read.' : 'Some rules are missing.',
    'The worker restores the rules every 5 seconds. Check again. If this persists, find the program that removes them (such as firewalld), and see the log of the worker.',
  )
}
