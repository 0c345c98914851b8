import { useMutation } from '@tanstack/react-query'
import { updateProject } from '@/components/queries/queries'
import { agreedKinds, describeAgreement } from '@/lib/contract/access/project-kinds'
import type { Project } from '@/lib/contract/access/projects'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'

/** Turns a private project into a team or a class, which cannot be taken back. */
export function TurnProject({ project }: { project: Project }) {
  const { mutateAsync } = useMutation(updateProject)
  if (project.kind !== 'private') return null
  return (
    <div className="flex flex-wrap gap-2 border-t p-4">
      {agreedKinds.map((kind) => (
        <ConfirmDialog
          key={kind}
          trigger={<Button>{`Turn into a ${kind}…`}</Button>}
          title={`Turn ${project.project_id} into a ${kind}?`}
          description={`${describeAgreement(kind).replaceAll('your jobs', 'the jobs of its members')} Each member is asked first, and nobody sees their jobs until they agree. You cannot take this back.`}
          confirmLabel={`Turn into a ${kind}`}
          onConfirm={async () => {
            await mutateAsync({ id: project.id, kind })
          }}
        />
      ))}
    </div>
  )
}
