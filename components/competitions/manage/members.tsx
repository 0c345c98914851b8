import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { Users } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { CompetitionDetail, Member } from '@/lib/competitions/contract'
import { type CompetitionRole, competitionRoles } from '@/lib/competitions/contract-roles'
import { DialogForm } from '../../shell/form'
import { ListPanel } from '../../shell/list-panel'
import { Person } from '../../shell/person'
import { useForm } from '../../shell/use-form'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { Dialog } from '../../ui/dialog'
import { EmptyState } from '../../ui/empty-state'
import { PanelHeader } from '../../ui/panel'
import { RelativeTime } from '../../ui/relative-time'
import { Segmented } from '../../ui/segmented'
import { SelectField } from '../../ui/select'
import { type Column, DataTable } from '../../ui/table'
import { TextField } from '../../ui/text-field'
import { toast, toastError } from '../../ui/toaster'
import { roleLabels, type Viewer } from '../facts'
import { membersQuery, removeMember, updateMember } from '../queries'

interface MembersProps {
  competition: Pick<CompetitionDetail, 'competition_id'>
  viewer: Viewer
}

const columns: readonly Column<Member>[] = [
  {
    label: 'User',
    kind: 'title',
    cell: ({ user_id, name, state }) => (
      <span className="flex flex-wrap items-center gap-2">
        <Person handle={user_id} name={name} />
        {state === 'requested' ? <Badge tone="info">asks to join</Badge> : null}
      </span>
    ),
  },
  { label: 'Role', cell: ({ role }) => roleLabels[role] },
  { label: 'Section', cell: ({ section }) => <span className="wrap-anywhere">{section ?? '–'}</span> },
  { label: 'Team', cell: ({ team }) => <span className="wrap-anywhere">{team ?? '–'}</span> },
  { label: 'Since', cell: ({ joined_at }) => <RelativeTime at={joined_at} className="text-muted" /> },
]

/** The members of a competition, and who asks to join. */
export function Members({ competition: { competition_id }, viewer }: MembersProps) {
  const [state, setState] = useState<'all' | 'requested'>('all')
  const query = useInfiniteQuery(membersQuery(competition_id, state === 'all' ? null : state))
  const shown = useMemo(
    (): readonly Column<Member>[] =>
      viewer.isInstructor
        ? [
            ...columns,
            {
              label: 'Actions',
              kind: 'actions',
              cell: (member) => (
                <MemberActions competition={competition_id} member={member} isHost={viewer.isHost} />
              ),
            },
          ]
        : columns,
    [competition_id, viewer.isInstructor, viewer.isHost],
  )
  return (
    <ListPanel
      query={query}
      header={
        <PanelHeader
          title="Members"
          actions={
            <Segmented
              label="Members shown"
              value={state}
              onValueChange={setState}
              options={[
                { value: 'all', label: 'All' },
                { value: 'requested', label: 'Asking to join' },
              ]}
            />
          }
        />
      }
      empty={
        <EmptyState icon={Users} title={state === 'all' ? 'Nobody has joined yet' : 'Nobody asks to join'}>
          Send people the address of this page.
        </EmptyState>
      }
    >
      {(members) => (
        <DataTable caption="Members" columns={shown} items={members} keyOf={({ user_id }) => user_id} />
      )}
    </ListPanel>
  )
}

interface MemberActionsProps {
  competition: string
  member: Member
  isHost: boolean
}

function MemberActions({ competition, member, isHost }: MemberActionsProps) {
  const { user_id: user, state } = member
  const { mutate, isPending } = useMutation(updateMember)
  const { mutateAsync: remove } = useMutation(removeMember)
  const approve = () =>
    mutate(
      { competition, user, state: 'joined' },
      {
        onSuccess: () => void toast.success(`${user} has joined`),
        onError: (error) => toastError(`${user} was not approved`, error),
      },
    )
  return (
    <span className="flex flex-wrap justify-end gap-1.5">
      {state === 'requested' ? (
        <Button size="sm" variant="primary" target={user} loading={isPending} onClick={approve}>
          Approve
        </Button>
      ) : (
        <Dialog
          title={`Change ${user}`}
          trigger={
            <Button size="sm" target={user}>
              Change
            </Button>
          }
        >
          {(close) => <MemberForm competition={competition} member={member} isHost={isHost} onDone={close} />}
        </Dialog>
      )}
      <ConfirmDialog
        title={state === 'requested' ? `Refuse ${user}?` : `Remove ${user}?`}
        description={
          state === 'requested'
            ? 'The request goes away. They can ask again.'
            : 'Only members without entries can be removed. To take entries off the leaderboard, disqualify them.'
        }
        confirmLabel={state === 'requested' ? 'Refuse' : 'Remove'}
        trigger={
          <Button size="sm" variant="danger-quiet" target={user}>
            {state === 'requested' ? 'Refuse' : 'Remove'}
          </Button>
        }
        onConfirm={() => remove({ competition, user })}
      />
    </span>
  )
}

interface MemberValues extends Record<string, unknown> {
  role: CompetitionRole
  section: string
}

function MemberForm({ competition, member, isHost, onDone }: MemberActionsProps & { onDone: () => void }) {
  const { mutateAsync } = useMutation(updateMember)
  const form = useForm({
    check: (values: MemberValues) => ({ ok: true, parsed: values, errors: {} }),
    initial: { role: member.role, section: member.section ?? '' },
    onSubmit: async ({ role, section }) => {
      await mutateAsync({
        competition,
        user: member.user_id,
        section: section.trim() === '' ? null : section.trim(),
        ...(role === member.role ? {} : { role }),
      })
      onDone()
    },
  })
  return (
    <DialogForm form={form} submitLabel="Save">
      {isHost ? (
        <SelectField
          label="Role"
          hint="Instructors and TAs see the entries of all teams."
          options={competitionRoles.map((value) => ({ value, label: roleLabels[value] }))}
          {...form.field('role')}
        />
      ) : null}
      <TextField
        label="Section"
        optional
        hint="The group of a class, such as Monday."
        maxLength={60}
        {...form.field('section')}
      />
    </DialogForm>
  )
}
