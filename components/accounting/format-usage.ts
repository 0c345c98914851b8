import type { Usage } from '@/lib/accounting/contract'
import { formatSeconds } from '../ui/format-time'

/** Hours with the precision that their size needs: "0.25", "12.3", "1,204". */
export function formatHours(hours: number): string {
  if (hours > 0 && hours < 0.005) return '<0.01'
  const digits = hours < 1 ? 2 : hours < 1000 ? 1 : 0
  return hours.toLocaleString('en', { maximumFractionDigits: digits })
}

/** A part as a percentage; nothing was measured: "–". */
export function formatEfficiency(part: number | null): string {
  return part === null ? '–' : `${Math.round(part * 100)} %`
}

export function formatWait(seconds: number | null): string {
  return seconds === null ? '–' : formatSeconds(seconds)
}

/** The jobs that ended. */
export function endedJobs({ completed, failed, cancelled }: Usage): number {
  return completed + failed + cancelled
}
