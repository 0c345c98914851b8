import { GpuqError } from '../../contract/errors'
import { oneRow, type Transaction } from '../../database/transaction'
import type { PhaseConfig } from '../contract-config'
import type { QuotaLeft } from '../contract-entries'
import { dayAround, formatZonedTime } from '../contract-zoned-time'

/** The causes that are the team's own. Other failures are free. */
const ownCauses = "('own_error', 'time', 'memory', 'outputs')"

/** Rehearsals of a team that may wait or run at once, and those of one day. */
const most = { openRehearsals: 3, rehearsalsPerDay: 50 }

/** The entries of a team in a phase. */
export interface UsedQuota {
  today: number
  total: number
  failuresToday: number
}

/** The rehearsals of a team in all phases. */
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
                  count(*) FILTER (WHERE cause IN ${ownCauses} AND received_at >= $3)::int AS "failuresToday"
             FROM (SELECT e.cause, e.received_at, e.state <> 'failed' AND NOT (e.state = 'cancelled' AND j.started_at IS NULL) AS counts
                     FROM entries e LEFT JOIN jobs j ON j.id = e.job_id
                    WHERE e.phase_id = $1 AND e.team_id = $2 AND e.kind = 'entry') e`,
    values: [phaseId, teamId, new Date(startMs)],
  })
}

/** Counts the rehearsals of a team that have not ended, and those of the day of a moment. */
export function readRehearsals(
  tx: Transaction,
  { teamId, timezone }: Pick<QuotaOf, 'teamId' | 'timezone'>,
  at: Date,
): Promise<UsedRehearsals> {
  const { startMs } = dayAround(at.getTime(), timezone)
  return oneRow<UsedRehearsals>(tx, {
    name: 'used-rehearsals',
    text: `SELECT count(*) FILTER (WHERE ended_at IS NULL)::int AS open, count(*) FILTER (WHERE received_at >= $2)::int AS today
             FROM entries WHERE team_id = $1 AND kind = 'rehearsal'`,
    values: [teamId, new Date(startMs)],
  })
}

interface Moment {
  at: Date
  timezone: string
}

/** What is left of a quota. Pure. */
export function quotaLeft(
  { per_day, total, failures_per_day }: PhaseConfig['quota'],
  used: UsedQuota,
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

/** Says why a team may not rehearse now; null: it may. Pure. */
export function refuseRehearsal({ open, today }: UsedRehearsals, { at, timezone }: Moment): string | null {
  if (open >= most.openRehearsals)
    return `Your team has ${open} rehearsals that have not ended, and the limit is ${most.openRehearsals}. Wait until one ends, or withdraw one.`
  if (today < most.rehearsalsPerDay) return null
  const tomorrow = new Date(dayAround(at.getTime(), timezone).endMs)
  return `Your team has sent ${today} rehearsals today, and the limit is ${most.rehearsalsPerDay} a day. The next is possible from ${formatZonedTime(tomorrow, timezone)} on.`
}

export const quotaExceeded = (message: string) => new GpuqError('quota_exceeded', message)
