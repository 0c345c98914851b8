import {
  Ban,
  CircleCheck,
  CircleX,
  Gauge,
  Hourglass,
  LoaderCircle,
  type LucideIcon,
  TriangleAlert,
} from 'lucide-react'
import type { Entry, EntryCause, EntryState } from '@/lib/competitions/contract-entries'
import { StatusBadge } from '../../ui/status-badge'
import type { Tone } from '../../ui/tones'

interface Look {
  tone: Tone
  icon: LucideIcon
  label: string
  motion?: 'spin' | 'pulse'
}

const states: Record<EntryState, Look> = {
  held: { tone: 'neutral', icon: Hourglass, label: 'Waiting' },
  running: { tone: 'info', icon: LoaderCircle, label: 'Running', motion: 'spin' },
  scoring: { tone: 'info', icon: Gauge, label: 'Scoring', motion: 'pulse' },
  scored: { tone: 'success', icon: CircleCheck, label: 'Scored' },
  failed: { tone: 'danger', icon: CircleX, label: 'Failed' },
  cancelled: { tone: 'neutral', icon: Ban, label: 'Withdrawn' },
}

/** The faults that are not the team's look different. */
const causes: Record<EntryCause, Look> = {
  own_error: { tone: 'danger', icon: CircleX, label: 'Program failed' },
  time: { tone: 'danger', icon: CircleX, label: 'Time limit' },
  memory: { tone: 'danger', icon: CircleX, label: 'Out of memory' },
  outputs: { tone: 'danger', icon: CircleX, label: 'Outputs missing' },
  system: { tone: 'warning', icon: TriangleAlert, label: 'System fault' },
  scorer: { tone: 'warning', icon: TriangleAlert, label: 'Scoring failed' },
}

/** The state of an entry as icon and text. A rehearsal that has ended well is not scored. */
export function EntryStatus({
  entry: { state, cause, kind },
}: {
  entry: Pick<Entry, 'state' | 'cause' | 'kind'>
}) {
  const look = state === 'failed' && cause !== null ? causes[cause] : states[state]
  const label = state === 'scored' && kind === 'rehearsal' ? 'Completed' : look.label
  return <StatusBadge {...look} label={label} variant="plain" />
}
