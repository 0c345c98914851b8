'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { NotebookPen } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type ReactNode, useState } from 'react'
import type { GroupDetail } from '@/lib/groups/contract'
import { groupTitle, waitsForApproval } from '@/lib/groups/contract-title'
import { NoteEditor } from '../jobs/labels/note-editor'
import { formatMetric } from '../jobs/list/job-cell'
import { LoadFailure } from '../shell/load-failure'
import { Button } from '../ui/button'
import { ButtonLink } from '../ui/button-link'
import { Callout } from '../ui/callout'
import { ConfirmDialog } from '../ui/confirm-dialog'
import { CopyButton } from '../ui/copy-button'
import { DataList, Datum } from '../ui/data-list'
import { Duration } from '../ui/duration'
import { formatCount, formatNumber } from '../ui/format-number'
import { IconButton } from '../ui/icon-button'
import { Link } from '../ui/link'
import { PartBoundary } from '../ui/missing-part'
import { PageHeader } from '../ui/page-header'
import { Panel, PanelBody, PanelHeader } from '../ui/panel'
import { RelativeTime } from '../ui/relative-time'
import { Skeleton } from '../ui/skeleton'
import { toast, toastError } from '../ui/toaster'
import { describeMember } from './describe-parameters'
import { ExtendGroup } from './extend-group'
import { StatusOfGroup } from './group-status'
import { MemberGrid } from './member-grid'
import { countEnded } from './member-status'
import { MembersTable } from './members-table'
import { cancelGroup, groupQuery, rerunFailed, updateGroup } from './queries'
import { useMembers } from './use-members'

/** Most of it is shown only when members have metrics. */
const GroupCharts = dynamic(() => import('./charts/group-charts').then((module) => module.GroupCharts), {
  ssr: false,
})

interface GroupViewProps {
  id: string
  /** The id of the signed-in user. */
  handle: string
  /** Whether the reader is its owner or an admin. */
  mayChange: boolean
  /** What the page shows while the group waits for an approval; absent: the reader may not decide about it. */
  approval?: ReactNode
  /** What else the page shows of it, below the title. */
  children?: ReactNode
}

/** The page of one group, live. */
export function GroupView({ id, handle, mayChange, approval, children }: GroupViewProps) {
  const { data, error, refetch } = useQuery(groupQuery(id))
  if (!data)
    return error ? (
      <LoadFailure error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton className="h-96 rounded-lg" />
    )
  return (
    <LoadedGroup group={data} foreign={data.user_id !== handle} mayChange={mayChange} approval={approval}>
      {children}
    </LoadedGroup>
  )
}

interface LoadedGroupProps extends Pick<GroupViewProps, 'mayChange' | 'approval' | 'children'> {
  group: GroupDetail
  foreign: boolean
}

function LoadedGroup({ group, foreign, mayChange, approval, children }: LoadedGroupProps) {
  const { members, error, retry } = useMembers(group)
  const left = group.members - members.length
  const isUnapproved = waitsForApproval(group)
  const [writing, setWriting] = useState(false)
  return (
    <>
      <PageHeader
        path={[{ label: 'Groups', href: foreign ? '/groups?all=true' : '/groups' }]}
        title={groupTitle(group)}
        meta={
          <>
            <StatusOfGroup group={group} />
            <CopyButton text={group.group_id} label="Copy the group id" />
            {mayChange && group.note === null && !writing ? (
              <IconButton icon={NotebookPen} label="Add a note" onClick={() => setWriting(true)} />
            ) : null}
          </>
        }
        description={
          <>
            {group.competition_id} · {group.project_id} · submitted <RelativeTime at={group.created_at} />
            {foreign ? ` by ${group.user_id}` : ''}
          </>
        }
        actions={
          <>
            {foreign || group.status === 'failed' || group.status === 'cancelled' ? null : (
              <ButtonLink href={`/submit?after=${group.group_id}`}>New job after this group</ButtonLink>
            )}
            {foreign || isUnapproved || group.status === 'cancelled' ? null : <ContinueGroup group={group} />}
            {group.status === 'running' ? <CancelGroup group={group} /> : null}
          </>
        }
      />
      <div data-wide className="flex min-w-0 flex-col gap-4">
        {isUnapproved && approval ? approval : <Problem group={group} />}
        {children}
        <Panel>
          <PanelHeader title="Progress" description={describeProgress(group)} />
          <PanelBody className="border-b">
            <Facts group={group} />
            {mayChange ? (
              <GroupNote group={group} editing={writing} onEditing={setWriting} />
            ) : (
              <p className="mt-2 border-t pt-2 whitespace-pre-wrap wrap-anywhere text-sm empty:hidden">
                {group.note}
              </p>
            )}
          </PanelBody>
          <MemberGrid group={group} members={members} />
        </Panel>
        {error ? <LoadFailure error={error} onRetry={retry} /> : null}
        {left > 0 && !error ? (
          <p role="status" className="text-muted text-sm">
            {formatNumber(members.length)} of {formatCount(group.members, 'member')} loaded
          </p>
        ) : null}
        <PartBoundary>
          <GroupCharts group={group} members={members} />
        </PartBoundary>
        <MembersTable group={group} members={members} />
      </div>
    </>
  )
}

/** Why a group does not go on, or was cancelled. */
function Problem({ group }: { group: GroupDetail }) {
  const { problem, counts } = group
  if (problem === null) return null
  if (waitsForApproval(group))
    return (
      <Callout tone="warning" title="Waits for an approval">
        {problem}
      </Callout>
    )
  if (counts.held + counts.paused === 0)
    return (
      <Callout tone="warning" title="Cancelled">
        {problem}
      </Callout>
    )
  if (group.waits_for_others)
    return (
      <Callout tone="info" title="Waits for others">
        {problem}
      </Callout>
    )
  return (
    <Callout tone="warning" title="The next member cannot enter the queue">
      {problem} gpuq tries again.
    </Callout>
  )
}

function describeProgress(group: GroupDetail): string {
  const { counts, members } = group
  const ended = `${formatNumber(countEnded(group))} of ${formatNumber(members)} ended`
  return counts.failed > 0 ? `${ended}, ${formatNumber(counts.failed)} failed` : ended
}

function Facts({ group }: { group: GroupDetail }) {
  const { best, budget, objective, submitted_with: token } = group
  return (
    <DataList>
      <Datum label="Elapsed">
        <Duration from={group.created_at} to={group.ended_at} />
      </Datum>
      <Datum label="At once">{formatCount(group.parallel, 'member')}</Datum>
      {group.kind === 'wave' ? null : <Datum label="GPUs of a member">{group.gpus}</Datum>}
      {budget ? <Datum label="Budget">{budget.sentence}</Datum> : null}
      {token === null ? null : <Datum label="Submitted with">token {token.name}</Datum>}
      {objective ? (
        <>
          <Datum label={`Best ${objective.metric} (${objective.mode})`}>
            {best ? formatMetric(best.objective ?? undefined) : '–'}
          </Datum>
          <Datum label="Best member">
            {best ? (
              <>
                <Link href={`/jobs/${best.job_id}`}>#{best.index}</Link> {describeMember(group.kind, best)}
              </>
            ) : (
              '–'
            )}
          </Datum>
        </>
      ) : null}
    </DataList>
  )
}

interface GroupNoteProps {
  group: GroupDetail
  editing: boolean
  onEditing: (editing: boolean) => void
}

function GroupNote({ group: { group_id: id, note }, editing, onEditing }: GroupNoteProps) {
  const { mutateAsync } = useMutation(updateGroup)
  const save = async (text: string | null) => {
    try {
      await mutateAsync({ id, note: text })
      return true
    } catch (error) {
      toastError('Saving failed', error)
      return false
    }
  }
  return (
    <NoteEditor
      note={note}
      placeholder="What is this group about? What did you learn?"
      editing={editing}
      onEditing={onEditing}
      onSave={save}
    />
  )
}

function CancelGroup({ group }: { group: GroupDetail }) {
  const { mutateAsync } = useMutation(cancelGroup)
  return (
    <ConfirmDialog
      trigger={<Button variant="danger-quiet">Cancel group</Button>}
      title="Cancel this group?"
      description={`${describeCancel(group)} Output and metrics stay.`}
      confirmLabel="Cancel group"
      keepLabel="Keep group"
      onConfirm={() => mutateAsync(group.group_id)}
    />
  )
}

/** "gpuq cancels 2 members that wait or run, and 1 that is paused." */
function describeCancel({ counts: { pending, running, paused, held } }: GroupDetail): string {
  const parts = (
    [
      [pending + running, 'waits or runs', 'wait or run'],
      [paused, 'is paused', 'are paused'],
      [held, 'the group holds', 'the group holds'],
    ] as const
  )
    .filter(([members]) => members > 0)
    .map(([members, one, several], at) => {
      const what = at === 0 ? formatCount(members, 'member') : formatNumber(members)
      return `${what} that ${members === 1 ? one : several}`
    })
  const last = parts.pop() ?? 'the group'
  return `gpuq cancels ${parts.length === 0 ? last : `${parts.join(', ')}, and ${last}`}.`
}

function ContinueGroup({ group }: { group: GroupDetail }) {
  return (
    <>
      {group.counts.failed > 0 ? <RerunFailed group={group} /> : null}
      {group.kind === 'wave' ? null : <ExtendGroup group={group} />}
    </>
  )
}

function RerunFailed({ group }: { group: GroupDetail }) {
  const { mutateAsync } = useMutation(rerunFailed)
  const { counts, gpus } = group
  const isOne = counts.failed === 1
  const hours = gpus > 0 ? ` ${isOne ? 'It' : 'Each'} takes ${formatCount(gpus, 'GPU')} until it ends.` : ''
  const rerun = async () => {
    await mutateAsync(group.group_id)
    toast.success(`${formatCount(counts.failed, 'failed member')} ${isOne ? 'runs' : 'run'} again`)
  }
  return (
    <ConfirmDialog
      trigger={<Button>Run failed members again</Button>}
      title={`Run ${formatCount(counts.failed, 'failed member')} again?`}
      description={`${isOne ? 'It' : 'Each'} gets a new job with the same program and parameters.${hours} ${isOne ? 'The failed job stays, with its output.' : 'The failed jobs stay, with their output.'}`}
      confirmLabel="Run again"
      keepLabel="Close"
      tone="primary"
      onConfirm={rerun}
    />
  )
}
