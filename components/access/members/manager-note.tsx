import { describeAgreement } from '@/lib/contract/access/project-kinds'
import type { Project } from '@/lib/contract/access/projects'

/** Tells the members who sees their jobs. */
export function ManagerNote({ project: { kind, managers } }: { project: Project }) {
  if (kind !== 'private') return <p className="text-muted text-sm">{describeAgreement(kind)}</p>
  if (managers.length === 0) return null
  return (
    <p className="text-muted text-sm">
      {managers.length === 1 ? 'The manager sees' : 'Managers see'} all jobs of this project with their
      source, output and files, and may cancel them.
    </p>
  )
}
