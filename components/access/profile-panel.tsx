'use client'

import { useQuery } from '@tanstack/react-query'
import { meQuery, ownLimitsQuery } from '@/components/queries/queries'
import { Loaded } from '../shell/load-failure'
import { describeStorageUse } from '../storage/storage-bar'
import { Badge } from '../ui/badge'
import { DataList, Datum } from '../ui/data-list'
import { formatLimit } from '../ui/format-number'
import { Panel, PanelBody, PanelHeader } from '../ui/panel'
import { RelativeTime } from '../ui/relative-time'
import { Skeleton } from '../ui/skeleton'

/** The signed-in user's profile and limits. */
export function ProfilePanel() {
  const { data: limits } = useQuery(ownLimitsQuery(null))
  return (
    <Panel>
      <PanelHeader title="Profile" description="Ask an admin to change these values." />
      <PanelBody>
        <Loaded query={useQuery(meQuery())} placeholder={<Skeleton className="h-24" />}>
          {(me) => (
            <DataList>
              <Datum label="User id">
                <span className="font-mono">{me.user_id}</span>
              </Datum>
              <Datum label="Name">{me.name ?? '–'}</Datum>
              <Datum label="E-mail">{me.email ?? '–'}</Datum>
              <Datum label="Role">
                <Badge>{me.role}</Badge>
              </Datum>
              <Datum label="Submissions per minute">
                {limits && formatLimit(limits.submissions_per_minute)}
              </Datum>
              <Datum label="Active jobs">{limits && formatLimit(limits.max_active_jobs)}</Datum>
              <Datum label="Storage">{describeStorageUse(me.storage)}</Datum>
              <Datum label="Member since">
                <RelativeTime at={me.created_at} />
              </Datum>
            </DataList>
          )}
        </Loaded>
      </PanelBody>
    </Panel>
  )
}
