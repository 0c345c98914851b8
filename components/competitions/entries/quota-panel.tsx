import { useQuery } from '@tanstack/react-query'
import type { CompetitionDetail, Phase } from '@/lib/competitions/contract'
import type { QuotaLeft } from '@/lib/competitions/contract-entries'
import { Loaded } from '../../shell/load-failure'
import { DataList, Datum } from '../../ui/data-list'
import { formatNumber } from '../../ui/format-number'
import { Panel, PanelBody, PanelHeader } from '../../ui/panel'
import { RelativeTime } from '../../ui/relative-time'
import { Skeleton } from '../../ui/skeleton'
import { quotaQuery } from '../queries'

interface QuotaPanelProps {
  competition: Pick<CompetitionDetail, 'competition_id' | 'timezone'>
  phase: Pick<Phase, 'key'>
}

/** What the team may still send to a phase, and when it may send more. */
export function QuotaPanel({ competition: { competition_id, timezone }, phase }: QuotaPanelProps) {
  const query = useQuery(quotaQuery(competition_id, phase.key))
  return (
    <Panel>
      <PanelHeader title="Quota" description={`A day begins at midnight in ${timezone}.`} />
      <PanelBody>
        <Loaded query={query} placeholder={<Skeleton className="h-12" />}>
          {({ quota }) =>
            Object.values(quota).every((limit) => limit === null) ? (
              <p className="text-subtle text-sm">Entries of the staff have no quota.</p>
            ) : (
              <DataList className="sm:grid-cols-3">
                <Limit label="Left today" limit={quota.per_day} />
                <Limit label="Left in all" limit={quota.total} />
                <Limit label="Failures left today" limit={quota.failures_per_day} />
              </DataList>
            )
          }
        </Loaded>
      </PanelBody>
    </Panel>
  )
}

function Limit({ label, limit }: { label: string; limit: QuotaLeft['per_day'] }) {
  if (limit === null) return null
  const { left, limit: most, resets_at } = limit
  return (
    <Datum label={label}>
      <span className="tabular-nums">
        {formatNumber(left)} of {formatNumber(most)}
      </span>
      {resets_at === null || left === most ? null : (
        <span className="block text-subtle text-xs">
          {formatNumber(most)} again <RelativeTime at={resets_at} />
        </span>
      )}
    </Datum>
  )
}
