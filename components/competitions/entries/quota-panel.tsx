import { useQuery } from '@tanstack/react-query'
import type { CompetitionDetail, Phase } from '@/lib/competitions/contract'
import type { QuotaLeft } from '@/lib/competitions/contract-entries'
import { Loaded } from '../../shell/load-failure'
import { DataList, Datum } from '../../ui/data-list'
import { formatNumber } from '../../ui/format-number'
import { RelativeTime } from '../../ui/relative-time'
import { Skeleton } from '../../ui/skeleton'
import { quotaQuery } from '../queries'
import { ZonedTime } from '../zoned-time'

interface QuotaPanelProps {
  competition: Pick<CompetitionDetail, 'competition_id' | 'timezone'>
  phase: Pick<Phase, 'key'>
}

/** What the team may still send to a phase, and when it may send more. */
export function QuotaPanel({ competition: { competition_id, timezone }, phase }: QuotaPanelProps) {
  const query = useQuery(quotaQuery(competition_id, phase.key))
  return (
    <Loaded query={query} placeholder={<Skeleton className="h-12" />}>
      {({ quota }) => (
        <DataList className="sm:grid-cols-3">
          <Limit label="Left today" limit={quota.per_day} zone={timezone} />
          <Limit label="Left in all" limit={quota.total} zone={timezone} />
          <Limit label="Failures left today" limit={quota.failures_per_day} zone={timezone} />
        </DataList>
      )}
    </Loaded>
  )
}

interface LimitProps {
  label: string
  limit: QuotaLeft['per_day']
  zone: string
}

function Limit({ label, limit, zone }: LimitProps) {
  if (limit === null) return null
  const { left, limit: most, resets_at } = limit
  return (
    <Datum label={label}>
      <span className="tabular-nums">
        {formatNumber(left)} of {formatNumber(most)}
      </span>
      {resets_at === null || left === most ? null : (
        <span className="block text-subtle text-xs">
          more <RelativeTime at={resets_at} />, at <ZonedTime at={resets_at} zone={zone} />
        </span>
      )}
    </Datum>
  )
}
