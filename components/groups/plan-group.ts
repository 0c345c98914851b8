import { parseConfigAs } from '@/lib/contract/config/config'
import { type FieldError, GpuqError } from '@/lib/contract/errors'
import { defaultParallel, groupConfigLimits, groupConfigSchema } from '@/lib/groups/contract'
import { costOf, type Hours } from '@/lib/groups/contract-cost'
import { hintsOf } from '@/lib/groups/contract-member-config'
import { type Expansion, expandMembers } from '@/lib/groups/contract-members'
import type { Draft } from '../jobs/submit/draft'

/** What a draft of a group makes. */
export interface GroupPlan {
  members: number
  /** Members that wait or run at once. */
  parallel: number
  gpuHours: Hours
  runHours: Hours
  hints: readonly string[]
}

export type Plan = ({ ok: true } & GroupPlan) | { ok: false; errors: readonly FieldError[] }

/** Reads the draft of a group as the server does. */
export function planGroup({ code, config: text }: Draft): Plan {
  const parsed = parseConfigAs(groupConfigSchema, text, groupConfigLimits)
  if (!parsed.ok) return parsed
  const { config } = parsed
  const expansion = expand(config)
  if ('errors' in expansion) return { ok: false, errors: expansion.errors }
  const { members } = expansion
  return {
    ok: true,
    members: members.length,
    parallel: Math.min(members.length, config.parallel ?? expansion.parallel ?? defaultParallel),
    ...costOf(config, members, Number.POSITIVE_INFINITY),
    hints: hintsOf(config, members, code),
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
