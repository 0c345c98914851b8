import { useMutation } from '@tanstack/react-query'
import { UserMinus, X } from 'lucide-react'
import { updateProject } from '@/components/queries/queries'
import type { Project } from '@/lib/contract/access/projects'
import { ofProject } from '../features'
import { Person } from '../shell/person'
import { useSchemaForm } from '../shell/use-schema-form'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { IconButton } from '../ui/icon-button'
import { IdField } from '../ui/text-field'
import { toast } from '../ui/toaster'
import { ManagerNote } from './members/manager-note'
import { MemberRole } from './members/member-role'

interface ProjectMembersProps {
  project: Project
  /** The owner, managers and admins invite and remove members. */
  editable: boolean
  /** Admins choose the managers, and in a class its owner does. */
  makesManagers: boolean
}

/** The users who may submit to a project. */
export function ProjectMembers({ project, editable, makesManagers }: ProjectMembersProps) {
  const { mutate, isPending, variables } = useMutation(updateProject)
  const remove = (member: string) =>
    mutate({ id: project.id, remove_members: [member] }, { onError: (error) => toast.error(error.message) })
  return (
    <section aria-label="Members" className="flex flex-col gap-3">
      <h2 className="font-semibold text-ink text-sm">Members</h2>
      <ul className="divide-y rounded-lg border">
        <li className="flex min-h-10 items-center justify-between gap-2 px-3">
          <span className="min-w-0 truncate text-sm">
            <Person handle={project.owner} name={project.names[project.owner]} />
          </span>
          <span className="flex items-center gap-1.5">
            <Badge>owner</Badge>
            <MemberRole project={project} handle={project.owner} editable={makesManagers} />
          </span>
        </li>
        {project.members.map((member) => (
          <li key={member} className="flex min-h-10 flex-wrap items-center justify-between gap-2 px-3 py-1">
            <span className="min-w-0 truncate text-sm">
              <Person handle={member} name={project.names[member]} />
            </span>
            <span className="ml-auto flex flex-wrap items-center justify-end gap-1.5">
              {project.kind === 'private' || project.agreed.includes(member) ? null : (
                <Badge>not agreed</Badge>
              )}
              <ofProject.PushRight project={project} handle={member} editable={editable} />
              <MemberRole project={project} handle={member} editable={makesManagers} />
              {editable ? (
                <IconButton
                  icon={UserMinus}
                  variant="danger"
                  label={`Remove ${member}`}
                  disabled={isPending && variables?.remove_members?.includes(member)}
                  onClick={() => remove(member)}
                />
              ) : null}
            </span>
          </li>
        ))}
        {project.invited.map((handle) => (
          <li key={handle} className="flex min-h-10 items-center justify-between gap-2 px-3">
            <span className="flex min-w-0 items-center gap-1.5 text-muted text-sm">
              <span className="min-w-0 truncate">{handle}</span>
              <Badge>invited</Badge>
            </span>
            <IconButton
              icon={X}
              label={`Withdraw the invitation of ${handle}`}
              disabled={isPending && variables?.remove_members?.includes(handle)}
              onClick={() => remove(handle)}
            />
          </li>
        ))}
      </ul>
      <ManagerNote project={project} />
      {editable ? <InviteMember id={project.id} /> : null}
    </section>
  )
}

function InviteMember({ id }: { id: string }) {
  const { mutateAsync } = useMutation(updateProject)
  const form = useSchemaForm({
    schema: () => import('./form-schemas').then((schemas) => schemas.memberSchema),
    initial: { member: '' },
    onSubmit: async ({ member }) => {
      await mutateAsync({ id, add_members: [member] })
      form.reset()
    },
  })
  const field = form.field('member')
  return (
    <form {...form.props} className="flex items-start gap-2">
      <IdField
        label="Invite a member"
        hint="Enter a user id. If the user exists, they have 30 days to accept on the page Projects. Then they can submit jobs here."
        className="flex-1"
        {...field}
        error={field.error ?? form.error ?? undefined}
      />
      <Button type="submit" className="mt-6" loading={form.submitting}>
        Invite
      </Button>
    </form>
  )
}
