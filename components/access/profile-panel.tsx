'use client'

import { useQuery } from '@tanstack/react-query'
import { meQuery } from '@/components/queries/queries'
import { LoadFailure } from '../shell/load-failure'
import { Badge } from '../ui/badge'
import { DataList, Datum } from '../ui/data-list'
import { Panel, PanelBody, PanelHeader } from '../ui/panel'
import { RelativeTime } from '../ui/relative-time'
import { Skeleton } from '../ui/skeleton'

/** The signed-in user's profile and limits. */
export function ProfilePanel() {
  const me = useQuery(meQuery())
  const wait = <Skeleton className="my-0.5 w-28" />
  return (
    <Panel>
      <PanelHeader title="Profile" description="An admin can change these values." />
      <PanelBody>
        {me.error && !me.data ? (
          <LoadFailure error={me.error} onRetry={() => void me.refetch()} />
        ) : (
          <DataList>
            <Datum label="User id">
              {me.data ? <span className="font-mono">{me.data.user_id}</span> : wait}
            </Datum>
            <Datum label="Name">{me.data ? (me.data.name ?? '–') : wait}</Datum>
            <Datum label="E-mail">{me.data ? (me.data.email ?? '–') : wait}</Datum>
            <Datum label="Role">{me.data ? <Badge>{me.data.role}</Badge> : wait}</Datum>
            <Datum label="Submissions per minute">
              {me.data ? (me.data.limits.submissions_per_minute ?? 'default') : wait}
            </Datum>
            <Datum label="Active jobs">
              {me.data ? (me.data.limits.max_active_jobs ?? 'default') : wait}
            </Datum>
            <Datum label="Member since">{me.data ? <RelativeTime at={me.data.created_at} /> : wait}</Datum>
          </DataList>
        )}
      </PanelBody>
    </Panel>
  )
}
