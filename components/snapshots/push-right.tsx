import { useMutation } from '@tanstack/react-query'
import { updateProject } from '@/components/queries/queries'
import type { Project } from '@/lib/contract/access/projects'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { toast } from '../ui/toaster'

interface PushRightProps {
  project: Project
  handle: string
  /** Whether the user may change the right. */
  editable: boolean
}

/** Whether a member may push snapshots. Managers always may. */
export function PushRight({ project: { id, managers, pushers }, handle, editable }: PushRightProps) {
  const { mutate, isPending } = useMutation(updateProject)
  if (managers.includes(handle)) return null
  const mayPush = pushers.includes(handle)
  const change = () =>
    mutate(
      { id, ...(mayPush ? { remove_pushers: [handle] } : { add_pushers: [handle] }) },
      { onError: (error) => toast.error(error.message) },
    )
  return (
    <>
      {mayPush ? <Badge>pushes snapshots</Badge> : null}
      {editable ? (
        <Button size="sm" target={handle} loading={isPending} onClick={change}>
          {mayPush ? 'Forbid pushing' : 'Allow pushing'}
        </Button>
      ) : null}
    </>
  )
}
