import { useMutation, useQuery } from '@tanstack/react-query'
import { UserPlus, X } from 'lucide-react'
import type { CompetitionDetail, Team } from '@/lib/competitions/contract'
import { DialogForm } from '../shell/form'
import { Loaded } from '../shell/load-failure'
import { useForm } from '../shell/use-form'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { ConfirmDialog } from '../ui/confirm-dialog'
import { Dialog } from '../ui/dialog'
import { IconButton } from '../ui/icon-button'
import { Panel, PanelBody, PanelFooter, PanelHeader } from '../ui/panel'
import { RelativeTime } from '../ui/relative-time'
import { Skeleton } from '../ui/skeleton'
import { IdField, TextField } from '../ui/text-field'
import { toast, toastError } from '../ui/toaster'
import { answerInvitation, invitationsQuery, leaveTeam, teamQuery, updateTeam } from './queries'
import { requireText } from './required-text'

interface TeamTabProps {
  competition: CompetitionDetail
  /** The id of the signed-in user. */
  handle: string
}

/** The team of a participant, and the invitations to other teams. */
export function TeamTab({ competition, handle }: TeamTabProps) {
  const { competition_id } = competition
  const team = useQuery(teamQuery(competition_id))
  return (
    <div className="flex max-w-3xl min-w-0 flex-col gap-4">
      <Invitations competition={competition_id} />
      <Loaded query={team} placeholder={<Skeleton className="h-64 rounded-lg" />}>
        {(shown) => <TeamPanel competition={competition} team={shown} handle={handle} />}
      </Loaded>
    </div>
  )
}

function Invitations({ competition }: { competition: string }) {
  const { data = [] } = useQuery(invitationsQuery(competition))
  const { mutate, isPending, variables } = useMutation(answerInvitation)
  if (data.length === 0) return null
  const answer = (id: string, team: string, accept: boolean) =>
    mutate(
      { competition, id, accept },
      {
        onSuccess: () => void toast.success(accept ? `You are in the team ${team}` : 'Invitation declined'),
        onError: (error) => toastError('The invitation is still open', error),
      },
    )
  return (
    <Panel>
      <PanelHeader title="Invitations" description="If you accept one, you leave your own team." />
      <ul>
        {data.map(({ id, team, expires_at }) => (
          <li
            key={id}
            className="flex flex-wrap items-center justify-between gap-2 border-b px-4 py-2 last:border-b-0"
          >
            <span className="min-w-0 text-sm">
              <span className="wrap-anywhere font-medium">{team}</span>{' '}
              <span className="text-subtle text-xs">
                expires <RelativeTime at={expires_at} />
              </span>
            </span>
            <span className="flex gap-1.5">
              <Button
                size="sm"
                variant="primary"
                target={team}
                loading={isPending && variables?.id === id && variables.accept}
                onClick={() => answer(id, team, true)}
              >
                Accept
              </Button>
              <Button
                size="sm"
                target={team}
                loading={isPending && variables?.id === id && !variables.accept}
                onClick={() => answer(id, team, false)}
              >
                Decline
              </Button>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function TeamPanel({ competition, team, handle }: TeamTabProps & { team: Team }) {
  const { competition_id, team_max } = competition
  const { mutate } = useMutation(updateTeam)
  const { mutateAsync: leave } = useMutation(leaveTeam)
  const { members, invited, name } = team
  const withdraw = (user: string) =>
    mutate(
      { competition: competition_id, withdraw: [user] },
      { onError: (error) => toastError('The invitation is still open', error) },
    )
  return (
    <Panel>
      <PanelHeader
        title={name}
        description={
          team_max === 1
            ? 'In this competition everybody takes part alone.'
            : `${members.length} of at most ${team_max} members. A team sends entries together and shares its quota.`
        }
        actions={
          <>
            <RenameDialog competition={competition_id} name={name} />
            {members.length < team_max ? <InviteDialog competition={competition_id} /> : null}
          </>
        }
      />
      <ul aria-label="Members">
        {members.map((member) => (
          <li key={member} className="flex min-h-10 items-center gap-2 border-b px-4 text-sm last:border-b-0">
            <span className="wrap-anywhere">{member}</span>
            {member === handle ? <Badge tone="accent">you</Badge> : null}
          </li>
        ))}
      </ul>
      {invited.length > 0 ? (
        <PanelBody className="border-t">
          <h3 className="text-subtle text-xs">Invited, without an answer yet</h3>
          <ul aria-label="Invited">
            {invited.map((user) => (
              <li key={user} className="flex min-h-8 items-center justify-between gap-2 text-sm">
                <span className="wrap-anywhere">{user}</span>
                <IconButton
                  icon={X}
                  label={`Take back the invitation of ${user}`}
                  onClick={() => withdraw(user)}
                />
              </li>
            ))}
          </ul>
        </PanelBody>
      ) : null}
      {members.length > 1 ? (
        <PanelFooter>
          <ConfirmDialog
            title={`Leave ${name}?`}
            description="You take part alone then. This is possible before the first entry of the team."
            confirmLabel="Leave"
            trigger={<Button variant="danger-quiet">Leave the team</Button>}
            onConfirm={async () => {
              await leave(competition_id)
              toast.success(`You have left ${name}`)
            }}
          />
        </PanelFooter>
      ) : null}
    </Panel>
  )
}

function RenameDialog({ competition, name }: { competition: string; name: string }) {
  return (
    <Dialog title="Rename the team" trigger={<Button>Rename</Button>}>
      {(close) => <RenameForm competition={competition} name={name} onDone={close} />}
    </Dialog>
  )
}

function RenameForm({
  competition,
  name,
  onDone,
}: {
  competition: string
  name: string
  onDone: () => void
}) {
  const { mutateAsync } = useMutation(updateTeam)
  const form = useForm<{ name: string }, string>({
    check: requireText('name', 'Write the new name.'),
    initial: { name },
    onSubmit: async (next) => {
      await mutateAsync({ competition, name: next })
      onDone()
    },
  })
  return (
    <DialogForm form={form} submitLabel="Rename">
      <TextField label="Name" hint="The leaderboard shows it." maxLength={60} {...form.field('name')} />
    </DialogForm>
  )
}

function InviteDialog({ competition }: { competition: string }) {
  return (
    <Dialog
      title="Invite to the team"
      description="They find the invitation on this tab, once they have joined the competition."
      trigger={<Button icon={UserPlus}>Invite</Button>}
    >
      {(close) => <InviteForm competition={competition} onDone={close} />}
    </Dialog>
  )
}

function InviteForm({ competition, onDone }: { competition: string; onDone: () => void }) {
  const { mutateAsync } = useMutation(updateTeam)
  const form = useForm<{ user: string }, string>({
    check: requireText('user', 'Write a user id.'),
    initial: { user: '' },
    onSubmit: async (user) => {
      await mutateAsync({ competition, invite: [user] })
      toast.success(`${user} is invited`)
      onDone()
    },
  })
  return (
    <DialogForm form={form} submitLabel="Invite">
      <IdField label="User id" autoComplete="off" {...form.field('user')} />
    </DialogForm>
  )
}
