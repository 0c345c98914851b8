import { useMutation } from '@tanstack/react-query'
import { updateProject } from '@/components/queries/queries'
import type { Project } from '@/lib/contract/access/projects'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { toast } from '../../ui/toaster'

interface MemberRoleProps {
  project: Project
  handle: string
  /** Whether the user may change it. */
  editable: boolean
}

/** Whether a member manages the project. */
export function MemberRole({ project, handle, editable }: MemberRoleProps) {
  const { mutate, isPending } = useMutation(updateProject)
  const isManager = project.managers.includes(handle)
  const change = () =>
    mutate(
      { id: project.id, ...(isManager ? { remove_managers: [handle] } : { add_managers: [handle] }) },
      { onError: (error) => toast.error(error.message) },
    )
  return (
    <>
      {isManager ? <Badge tone="info">manager</Badge> : null}
      {editable ? (
        <Button size="sm" target={handle} loading={isPending} onClick={change}>
          {isManager ? 'Make member' : 'Make manager'}
        </Button>
      ) : null}
    </>
  )
}
