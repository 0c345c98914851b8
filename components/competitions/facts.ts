import type { CompetitionDetail, Phase } from '@/lib/competitions/contract'
import { type CompetitionRole, staffRoles } from '@/lib/competitions/contract-roles'
import { formatCount, formatNumber } from '../ui/format-number'
import { formatSeconds } from '../ui/format-time'

/** What the viewer of a competition may do. */
export interface Viewer {
  /** Sends entries: of a team, or baselines of the staff. */
  sends: boolean
  /** Has a team. */
  participates: boolean
  /** Sees the entries of all teams. */
  isStaff: boolean
  /** Approves members. */
  isInstructor: boolean
  isHost: boolean
}

/** @param competition an admin gets what hosts get, without a role */
export function viewerOf({
  role,
  state,
  project,
}: Pick<CompetitionDetail, 'role' | 'state' | 'project'>): Viewer {
  const own = state === 'joined' ? role : null
  const isHost = own === 'host' || project !== null
  return {
    sends: own !== null && own !== 'observer',
    participates: own === 'participant',
    isStaff: isHost || (own !== null && staffRoles.includes(own)),
    isInstructor: isHost || own === 'instructor',
    isHost,
  }
}

export const roleLabels = {
  host: 'Host',
  instructor: 'Instructor',
  ta: 'TA',
  participant: 'Participant',
  observer: 'Observer',
} as const satisfies Record<CompetitionRole, string>

/** "5 a day, 60 in all". */
export function describeQuota({ per_day, total, failures_per_day }: Phase['quota']): string {
  return [
    per_day === null ? null : `${formatNumber(per_day)} a day`,
    total === null ? null : `${formatNumber(total)} in all`,
    failures_per_day === null ? null : `at most ${formatNumber(failures_per_day)} failures a day`,
  ]
    .filter((part) => part !== null)
    .join(', ')
}

/** "For grades only: 5 minutes cost nothing, at most 2 days, 10 % less a day". */
export function describeLate({ late }: Pick<Phase, 'late'>): string {
  if (late === null) return 'Refused, except with an extension'
  const { grace_minutes, percent_per_day, max_days } = late
  const limits = [
    grace_minutes === 0 ? null : `${formatCount(grace_minutes, 'minute')} cost nothing`,
    max_days === 0 ? null : `at most ${formatCount(max_days, 'day')}`,
    percent_per_day === 0 ? null : `${formatNumber(percent_per_day)} % less a day`,
  ].filter((part) => part !== null)
  return `For grades only: ${limits.join(', ')}`
}

/** Whether participants without an extension may send entries, also late ones. */
export function takesEntries({ state, late, revealed }: Pick<Phase, 'state' | 'late' | 'revealed'>): boolean {
  return state === 'open' || (state === 'ended' && late !== null && !revealed)
}

/** "1 GPU, 30 min". */
export function describeRun({
  gpu_count,
  gpu_fraction,
  gpu_model,
  max_time,
  environment,
}: Phase['run']): string {
  const count = gpu_count === 0 ? 'no GPU' : formatCount(gpu_count, 'GPU')
  const gpus = gpu_fraction === null ? count : `${gpu_fraction} of a GPU`
  return [
    gpu_model === null ? gpus : `${gpus} (${gpu_model})`,
    `at most ${formatSeconds(max_time)}`,
    environment === null ? null : `environment ${environment}`,
  ]
    .filter((part) => part !== null)
    .join(', ')
}

/** Which entry of a team counts on the board. */
export function describeSelection({ select, choose }: Pick<Phase, 'select' | 'choose'>): string {
  if (select === 'best') return 'The best entry'
  if (select === 'last') return 'The last scored entry'
  return choose === 1
    ? 'The entry that the team chooses'
    : `The best of the ${choose} entries that the team chooses`
}
