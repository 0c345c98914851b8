import { GpuqError } from '../../contract/errors'
import { oneRow, type Transaction } from '../../database/transaction'
import type { PhaseConfig } from '../contract-config'
import type { QuotaLeft } from '../contract-entries'
import { dayAround, formatZonedTime } from '../contract-zoned-time'

/** The causes that are the team's own. Other failures are free. */
const ownCauses = "('own_error', 'time', 'memory', 'outputs')"

/**
 * Rehearsals of a team that may wait or run at once, and those of one day; and the entries of a day in a phase that no limit of it counts.
 * Without the last one, a team could store programs without end, and learn of the hidden data from the way in which each entry fails.
 */
const most = { openRehearsals: 3, rehearsalsPerDay: 50, uncountedPerDay: 100 }

/** The entries of a team in a phase. */
export interface UsedQuota {
  today: number
  total: number
  failuresToday: number
  /** Entries that count neither as one nor as a failure: withdrawn before they started, or failed by a fault of gpuq or of the scoring program. */
  freeToday: number
}

/** The rehearsals of a team and of the sender in all phases. */
export interface UsedRehearsals {
  open: number
  today: number
}

/** Where a quota is counted. */
export interface QuotaOf {
  phaseId: string
  /** Null: the staff, which has no quota. */
  teamId: string | null
  timezone: string
}

/**
 * Counts what a team has used at a moment. An entry that failed counts only as a failure, and only if the cause is the team's own; one that was
 * cancelled before its program started counts as nothing.
 */
export function readUsed(
  tx: Transaction,
  { phaseId, teamId, timezone }: QuotaOf,
  at: Date,
): Promise<UsedQuota> {
  const { startMs } = dayAround(at.getTime(), timezone)
  return oneRow<UsedQuota>(tx, {
    name: 'used-quota',
    text: `SELECT count(*) FILTER (WHERE counts)::int AS total,
                  count(*) FILTER (WHERE counts AND received_at >= $3)::int AS today,
                  count(*) FILTER (WHERE cause IN ${ownCauses} AND received_at >= $3)::int AS "failuresToday",
                  count(*) FILTER (WHERE NOT counts AND (cause IN ${ownCauses}) IS NOT TRUE AND received_at >= $3)::int AS "freeToday"
             FROM (SELECT e.cause, e.received_at, e.state <> 'failed' AND NOT (e.state = 'cancelled' AND j.started_at IS NULL) AS counts
                     FROM entries e LEFT JOIN jobs j ON j.id = e.job_id
                    WHERE e.phase_id = $1 AND e.team_id = $2 AND e.kind = 'entry') e`,
    values: [phaseId, teamId, new Date(startMs)],
  })
}

/** Whose rehearsals are counted. */
interface RehearsalsOf extends Pick<QuotaOf, 'teamId' | 'timezone'> {
  competitionId: string
  userId: string
}

/**
 * Counts the rehearsals of a team that have not ended, and those of the day of a moment. They do not bind anybody to a team, so those that the
 * sender has sent for another team count too: leaving a team gives no new ones.
 */
export function readRehearsals(
  tx: Transaction,
  { competitionId, teamId, userId, timezone }: RehearsalsOf,
  at: Date,
): Promise<UsedRehearsals> {
  const { startMs } = dayAround(at.getTime(), timezone)
  return oneRow<UsedRehearsals>(tx, {
    name: 'used-rehearsals',
    text: `SELECT count(*) FILTER (WHERE ended_at IS NULL)::int AS open, count(*) FILTER (WHERE received_at >= $2)::int AS today
             FROM entries WHERE (team_id = $1 OR (user_id = $3 AND competition_id = $4)) AND kind = 'rehearsal'`,
    values: [teamId, new Date(startMs), userId, competitionId],
  })
}

interface Moment {
  at: Date
  timezone: string
}

/** What is left of a quota. Pure. */
export function quotaLeft(
  { per_day, total, failures_per_day }: PhaseConfig['quota'],
  used: Omit<UsedQuota, 'freeToday'>,
  { at, timezone }: Moment,
): QuotaLeft {
  const tomorrow = new Date(dayAround(at.getTime(), timezone).endMs).toISOString()
  const left = (limit: number | undefined, count: number, resets_at: string | null) =>
    limit === undefined ? null : { limit, used: count, left: Math.max(0, limit - count), resets_at }
  return {
    per_day: left(per_day, used.today, tomorrow),
    total: left(total, used.total, null),
    failures_per_day: left(failures_per_day, used.failuresToday, tomorrow),
  }
}

/** What the staff has left: no limit counts its entries. */
export const noQuota: QuotaLeft = { per_day: null, total: null, failures_per_day: null }

/** Says why a quota refuses another entry; null: it does not. Pure. */
export function refuseByQuota(
  { per_day, total, failures_per_day }: QuotaLeft,
  timezone: string,
): string | null {
  const again = (resetsAt: string | null) =>
    resetsAt === null ? '' : ` The next is possible from ${formatZonedTime(new Date(resetsAt), timezone)} on.`
  if (total?.left === 0)
    return `Your team has sent ${total.used} entries in this phase, and the limit is ${total.limit} in all.`
  if (per_day?.left === 0)
    return `Your team has sent ${per_day.used} entries today, and the limit is ${per_day.limit} a day.${again(per_day.resets_at)}`
  if (failures_per_day?.left === 0)
    return `${failures_per_day.used} entries of your team have failed today, and the limit is ${failures_per_day.limit} a day. Try your program with \`rehearse: true\` if the phase has sample data.${again(failures_per_day.resets_at)}`
  return null
}

/** Says why a team may not send another entry; null: it may. Pure. */
export function refuseEntry(quota: PhaseConfig['quota'], used: UsedQuota, moment: Moment): string | null {
  return (
    refuseByQuota(quotaLeft(quota, used, moment), moment.timezone) ?? refuseUncounted(quota, used, moment)
  )
}

/** Says why another entry is refused although the limits of the phase permit it; null: it is not. */
function refuseUncounted(
  { failures_per_day }: PhaseConfig['quota'],
  { freeToday, failuresToday }: Pick<UsedQuota, 'freeToday' | 'failuresToday'>,
  moment: Moment,
): string | null {
  const uncounted = freeToday + (failures_per_day === undefined ? failuresToday : 0)
  if (uncounted < most.uncountedPerDay) return null
  return `${uncounted} entries of your team were withdrawn or failed today without counting to a limit of the phase, and at most ${most.uncountedPerDay} a day are accepted.${nextDay(moment)}`
}

/** Says why a team may not rehearse now; null: it may. Pure. */
export function refuseRehearsal({ open, today }: UsedRehearsals, moment: Moment): string | null {
  if (open >= most.openRehearsals)
    return `You and your team have ${open} rehearsals that have not ended, and the limit is ${most.openRehearsals}. Wait until one ends, or withdraw one.`
  if (today < most.rehearsalsPerDay) return null
  return `You and your team have sent ${today} rehearsals today, and the limit is ${most.rehearsalsPerDay} a day.${nextDay(moment)}`
}

const nextDay = ({ at, timezone }: Moment): string =>
  ` The next is possible from ${formatZonedTime(new Date(dayAround(at.getTime(), timezone).endMs), timezone)} on.`

export const quotaExceeded = (message: string) => new GpuqError('quota_exceeded', message)
