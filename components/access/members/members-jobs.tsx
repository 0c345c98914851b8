import { ListChecks } from 'lucide-react'
import { projectJobsPath } from '../../jobs/list/project-jobs-path'
import { ButtonLink } from '../../ui/button-link'

/** A link to the jobs of all members of a project, for its managers and admins. */
export function MembersJobs({ projectId, admin }: { projectId: string; admin: boolean }) {
  const all = `/admin/jobs?${new URLSearchParams({ project_id: projectId })}`
  return (
    <ButtonLink icon={ListChecks} href={admin ? all : projectJobsPath(projectId)}>
      Jobs of all members
    </ButtonLink>
  )
}
