import { useRouter } from 'next/navigation'
import type { Project } from '@/lib/contract/access/projects'
import { ofProject } from '../../features'
import { Panel, PanelBody, PanelHeader } from '../../ui/panel'
import { ProjectMembers } from '../project-members'
import { ProjectForm } from './project-form'
import { ProjectRuns } from './project-runs'
import { TurnProject } from './turn-project'

interface ProjectSettingsProps {
  project: Project
  /** The user is an admin. */
  admin: boolean
  /** The owner and admins may change the project. */
  editable: boolean
  /** Managers invite and remove members. */
  manages: boolean
  /** Whether the user may make teams and classes. */
  classes: boolean
}

/** The members of a project, and for those who may change it, its settings. */
export function ProjectSettings({ project, admin, editable, manages, classes }: ProjectSettingsProps) {
  const router = useRouter()
  return (
    <>
      <Panel>
        <PanelBody className="flex flex-col gap-6">
          <ProjectMembers
            project={project}
            editable={editable || manages}
            makesManagers={project.kind === 'class' ? editable : admin && project.kind === 'private'}
          />
          {editable || manages ? <ofProject.JoinLinks projectId={project.id} admin={admin} /> : null}
          {editable || manages ? <ProjectRuns project={project} /> : null}
        </PanelBody>
      </Panel>
      {editable ? (
        <Panel>
          <PanelHeader title="Settings" />
          <ProjectForm project={project} admin={admin} onDeleted={() => router.push('/projects')} />
          {classes ? <TurnProject project={project} /> : null}
        </Panel>
      ) : null}
    </>
  )
}
