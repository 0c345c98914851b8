import type { GroupDetail, GroupMember } from '@/lib/groups/contract'
import type { ParameterValue } from '@/lib/groups/contract-parameters'

/** A member with a value of the metric that the charts show. */
export interface DrawnMember {
  member: GroupMember
  value: number
}

/** The members that have the metric, completed or not: one that runs shows its last value. */
export function withMetric(members: readonly GroupMember[], metric: string): DrawnMember[] {
  return members.flatMap((member) => {
    const value = member.metrics[metric]
    return value === undefined ? [] : [{ member, value }]
  })
}

/** Whether small values of a metric are the better ones. That of the objective says it; another metric is taken as one of it. */
export const prefersSmall = ({ objective }: Pick<GroupDetail, 'objective'>) => objective?.mode !== 'max'

/** More lines are only a dark area. */
const maxLines = 2_000

/** The members whose lines are drawn, the best last, so that they are on top. If there are too many, they are the best ones and a sample of the others. */
export function chooseLines(drawn: readonly DrawnMember[], small: boolean, most = maxLines): DrawnMember[] {
  const sign = small ? 1 : -1
  const sorted = drawn.toSorted((a, b) => sign * (a.value - b.value))
  if (sorted.length <= most) return sorted.reverse()
  const best = sorted.slice(0, Math.round(most / 10))
  const rest = sorted.slice(best.length)
  const every = Math.ceil(rest.length / (most - best.length))
  return [...best, ...rest.filter((_, at) => at % every === 0)].reverse()
}

/** From this length on, a text is a sentence rather than a name. */
const longText = 24

/** The parameters that can be an axis. Texts for people are none: long ones of which most occur once, and what a wave says about each member. */
export function axesOf(
  { kind, parameters }: Pick<GroupDetail, 'kind' | 'parameters'>,
  members: readonly GroupMember[],
): string[] {
  return parameters.filter((name) => {
    if (kind === 'wave' && (name === 'hypothesis' || name === 'note')) return false
    const values = members.flatMap(({ parameters: own }) => own[name] ?? [])
    const long = values.filter((value) => typeof value === 'string' && value.length > longText)
    return long.length <= values.length / 2 || new Set(long).size <= values.length / 2
  })
}

/** The values of a parameter in the drawn members. A member without one is not drawn. */
export const valuesOf = (drawn: readonly DrawnMember[], parameter: string): ParameterValue[] =>
  drawn.flatMap(({ member }) => member.parameters[parameter] ?? [])
