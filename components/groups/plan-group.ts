import { parseConfigAs, timeLimitSeconds } from '@/lib/contract/config/config'
import { type FieldError, GpuqError } from '@/lib/contract/errors'
import { defaultParallel, groupConfigSchema } from '@/lib/groups/contract'
import { hintsOf } from '@/lib/groups/contract-member-config'
import { type Expansion, expandMembers } from '@/lib/groups/contract-members'
import type { Draft } from '../jobs/submit/draft'

/** What a draft of a group makes. */
export interface GroupPlan {
  members: number
  /** Members that wait or run at once. */
  parallel: number
  /** GPUs of a member. */
  gpus: number
  /** GPU hours of all members if each takes its expected time; without GPUs hours of run time. */
  expectedHours: number
  /** The same if each takes its longest time. Retries can add to it. */
  mostHours: number
  hints: readonly string[]
}

export type Plan = ({ ok: true } & GroupPlan) | { ok: false; errors: readonly FieldError[] }

/** Reads the draft of a group as the server does. */
export function planGroup({ code, config: text }: Draft): Plan {
  const parsed = parseConfigAs(groupConfigSchema, text)
  if (!parsed.ok) return parsed
  const { config } = parsed
  const expansion = expand(config)
  if ('errors' in expansion) return { ok: false, errors: expansion.errors }
  const { members } = expansion
  const gpus = (config.gpu_fraction ?? config.gpu_count) * config.instance_count
  const hours = (seconds: number) => (members.length * (gpus || 1) * seconds) / 3600
  return {
    ok: true,
    members: members.length,
    parallel: Math.min(members.length, config.parallel ?? expansion.parallel ?? defaultParallel),
    gpus,
    expectedHours: hours(config.expected_time),
    mostHours: hours(timeLimitSeconds(config, Number.POSITIVE_INFINITY)),
    hints: hintsOf(config, Object.keys(members[0]?.parameters ?? {}), code),
  }
}

/** A matrix can have mistakes that only its members show. */
function expand(config: Parameters<typeof expandMembers>[0]): Expansion | { errors: readonly FieldError[] } {
  try {
    return expandMembers(config)
  } catch (error) {
    if (error instanceof GpuqError && error.errors) return { errors: error.errors }
    throw error
  }
}
