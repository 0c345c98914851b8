'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { answerProjectInvitation, projectInvitationsQuery } from '@/components/queries/queries'
import { describeJoining } from '@/lib/contract/access/project-kinds'
import type { ProjectInvitation } from '@/lib/contract/access/projects'
import { Button } from '../../ui/button'
import { Panel, PanelHeader } from '../../ui/panel'
import { RelativeTime } from '../../ui/relative-time'
import { toastOutcome } from '../../ui/toaster'

/** The invitations to projects that the user has not answered. Nothing if there are none. */
export function ReceivedInvitations() {
  const { data: invitations = [] } = useQuery(projectInvitationsQuery())
  if (invitations.length === 0) return null
  return (
    <Panel className="mb-5">
      <PanelHeader
        title="Invitations"
        description="Members of a project may submit jobs to it. Accept only if you know the owner."
      />
      <ul aria-label="Invitations" className="divide-y">
        {invitations.map((invitation) => (
          <InvitationItem key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </Panel>
  )
}

function InvitationItem({ invitation }: { invitation: ProjectInvitation }) {
  const { mutate, isPending, variables } = useMutation(answerProjectInvitation)
  const { id, project_id, name, kind, owner, created_at } = invitation
  const agreement = kind === 'private' ? {} : { agree_to: kind }
  const answer = (accept: boolean) =>
    mutate(
      { id, accept, ...(accept ? agreement : {}) },
      toastOutcome(accept ? `You joined ${project_id}` : 'Invitation declined'),
    )
  return (
    <li className="flex min-h-14 flex-wrap items-center justify-between gap-x-3 gap-y-2 px-4 py-2">
      <div className="flex min-w-0 flex-col">
        <span className="min-w-0 break-words text-ink text-sm">
          {project_id}
          {name ? <span className="text-muted"> · {name}</span> : null}
        </span>
        <span className="min-w-0 break-words text-subtle text-xs">
          from {owner} <RelativeTime at={created_at} />
        </span>
        {kind === 'private' ? null : (
          <span className="min-w-0 break-words text-sm">{describeJoining(kind, project_id)}</span>
        )}
      </div>
      <div className="flex gap-1.5">
        <Button
          target={project_id}
          size="sm"
          loading={isPending && variables?.accept === false}
          onClick={() => answer(false)}
        >
          Decline
        </Button>
        <Button
          target={project_id}
          size="sm"
          variant="primary"
          loading={isPending && variables?.accept === true}
          onClick={() => answer(true)}
        >
          {kind === 'private' ? 'Accept' : 'Agree and join'}
        </Button>
      </div>
    </li>
  )
}
