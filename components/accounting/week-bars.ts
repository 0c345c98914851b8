import type { AccountingRow } from '@/lib/accounting/contract'
import { addDays } from '@/lib/accounting/contract-range'

/** GPU hours of a week, in parts. */
export interface WeekBar {
  /** The Monday. */
  week: string
  used: number
  idle: number
  /** Hours without samples of the load. */
  unmeasured: number
}

/** More bars than this are too thin to tell apart. */
export const maxWeeks = 160

/** The Monday of a day, both as YYYY-MM-DD. */
export function mondayOf(day: string): string {
  return addDays(day, -((new Date(day).getUTCDay() + 6) % 7))
}

/** One bar for each week of the range, also for weeks without jobs. A long range shows its last weeks. */
export function toWeekBars(
  rows: readonly AccountingRow[],
  { from, to }: { from: string; to: string },
): WeekBar[] {
  const byWeek = new Map(rows.map((row) => [row.group, row]))
  const bars: WeekBar[] = []
  const first = mondayOf(from)
  for (let week = mondayOf(to); week >= first && bars.length < maxWeeks; week = addDays(week, -7)) {
    const row = byWeek.get(week)
    bars.push({
      week,
      used: row?.used_gpu_hours ?? 0,
      idle: row?.idle_gpu_hours ?? 0,
      unmeasured: row ? Math.max(0, row.gpu_hours - row.measured_gpu_hours) : 0,
    })
  }
  return bars.reverse()
}

/** The end of an axis: the next 1, 2 or 5 times a power of ten. */
export function axisEnd(highest: number): number {
  if (highest <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(highest))
  return ([1, 2, 5].find((step) => step * power >= highest) ?? 10) * power
}
