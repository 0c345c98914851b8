import { CircleCheck, CircleDashed, CircleStop, Eye, LoaderCircle, type LucideIcon } from 'lucide-react'
import type { JobDetail } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import type { Connection } from '../jobs/detail/use-event-stream'
import type { Tone } from '../ui/tones'

interface TerminalStatus {
  tone: Tone
  icon: LucideIcon
  label: string
  motion?: 'spin'
}

/** The state of a terminal for its user. `canType`: keys go to the program. */
export function terminalStatus(job: JobDetail, connection: Connection, canType: boolean): TerminalStatus {
  if (isFinal(job.status)) return { tone: 'neutral', icon: CircleStop, label: describeEnd(job) }
  if (connection === 'lost') return { ...working, tone: 'warning', label: 'Connection lost. Reconnecting…' }
  if (job.status === 'pending') {
    if (job.placed) return { ...working, label: 'The job is starting' }
    return { tone: 'neutral', icon: CircleDashed, label: 'Waits for the start of the job' }
  }
  if (connection === 'connecting') return { ...working, label: 'Connecting…' }
  return canType
    ? { tone: 'success', icon: CircleCheck, label: 'Connected' }
    : { tone: 'info', icon: Eye, label: 'Connected, read-only' }
}

const working = { tone: 'neutral', icon: LoaderCircle, motion: 'spin' } as const

function describeEnd({ status, exit_code }: JobDetail): string {
  if (exit_code !== null) return `Ended with exit code ${exit_code}`
  return status === 'cancelled' ? 'Ended: the job was cancelled' : 'Ended without an exit code'
}
