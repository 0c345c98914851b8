'use client'

import { useQuery } from '@tanstack/react-query'
import { Activity, ChartColumn } from 'lucide-react'
import dynamic from 'next/dynamic'
import { projectQuery } from '@/components/queries/queries'
import { ofProject, projectPages } from '../../features'
import { Loaded } from '../../shell/load-failure'
import { Person } from '../../shell/person'
import { StorageBar } from '../../storage/storage-bar'
import { ButtonLink } from '../../ui/button-link'
import { PageHeader } from '../../ui/page-header'
import { Panel, PanelBody, PanelHeader } from '../../ui/panel'
import { SkeletonRows } from '../../ui/skeleton'
import { MembersJobs } from '../members/members-jobs'
import { OwnQuestions } from './project-questions'
import { ProjectUsage } from './project-usage'

// Below the results, with forms and charts: loaded apart.
const ProjectSettings = dynamic(() => import('./project-settings').then((module) => module.ProjectSettings))

interface ProjectPageProps {
  id: string
  /** The signed-in user. */
  handle: string
  admin: boolean
  /** Whether the user may make teams and classes. */
  classes: boolean
}

/** Everything about a project: its results, use, allowance, storage, members and settings. */
export function ProjectPage({ id, handle, admin, classes }: ProjectPageProps) {
  const query = useQuery(projectQuery(id))
  return (
    <Loaded query={query} placeholder={<SkeletonRows rows={8} />} failureClass="m-4">
      {(project) => {
        // Only the owner and admins may change a project.
        const editable = admin || project.owner === handle
        // Managers invite and remove members, and see their jobs.
        const manages = project.managers.includes(handle)
        const seesJobs =
          admin ||
          (manages && project.kind !== 'team') ||
          (project.owner === handle && project.kind !== 'private')
        return (
          <>
            <PageHeader
              title={project.name ?? project.project_id}
              path={[{ label: 'Projects', href: '/projects' }]}
              description={
                <>
                  {project.kind === 'private' ? null : `A ${project.kind}: `}
                  {project.project_id}, owned by{' '}
                  <Person handle={project.owner} name={project.names[project.owner]} />
                </>
              }
              actions={
                <>
                  <ButtonLink
                    icon={Activity}
                    href={`/jobs?${new URLSearchParams({ project_id: project.project_id })}`}
                  >
                    Jobs
                  </ButtonLink>
                  {seesJobs ? <MembersJobs projectId={project.project_id} admin={admin} /> : null}
                  {projectPages.map(({ label, icon, pathOf }) => (
                    <ButtonLink key={label} icon={icon} href={pathOf(id, project.project_id)}>
                      {label}
                    </ButtonLink>
                  ))}
                  <ButtonLink icon={ChartColumn} href="/accounting?by=project">
                    Accounting
                  </ButtonLink>
                </>
              }
            />
            <div className="flex flex-col gap-4">
              <OwnQuestions project={project} handle={handle} />
              {project.kind === 'class' && (editable || manages) ? (
                <ofProject.Participants project={project} />
              ) : null}
              <ofProject.Leaderboard projectId={id} editable={editable} />
              <ofProject.Results project={project} handle={handle} everyone={seesJobs} />
              {project.shares.gpu_hour_budget === null && project.owner_gpu_hour_budget === null ? null : (
                <ofProject.Budgets project={id} />
              )}
              <ofProject.Use id={id} everyone={editable || manages} />
              <div className="grid items-start gap-4 lg:grid-cols-2">
                <Panel>
                  <PanelHeader title="Allowance" />
                  <PanelBody>
                    <ProjectUsage project={project} />
                    <ofProject.UserBudgets />
                  </PanelBody>
                </Panel>
                <Panel>
                  <PanelHeader title="Storage" />
                  <PanelBody>
                    <StorageBar storage={project.storage} />
                  </PanelBody>
                </Panel>
                <ProjectSettings
                  project={project}
                  admin={admin}
                  editable={editable}
                  manages={manages}
                  classes={classes}
                />
              </div>
            </div>
          </>
        )
      }}
    </Loaded>
  )
}
