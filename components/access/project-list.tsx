'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { Activity, FolderClosed } from 'lucide-react'
import { useMemo } from 'react'
import { projectsQuery } from '@/components/queries/queries'
import type { Project } from '@/lib/contract/access/projects'
import { projectPages } from '../features'
import { ListPanel } from '../shell/list-panel'
import { Person } from '../shell/person'
import { describeStorageUse } from '../storage/storage-bar'
import { Badge } from '../ui/badge'
import { ButtonLink } from '../ui/button-link'
import { EmptyState } from '../ui/empty-state'
import { PageHeader } from '../ui/page-header'
import { RelativeTime } from '../ui/relative-time'
import { type Column, DataTable, RowLink } from '../ui/table'
import { ReceivedInvitations } from './invitations/received-invitations'
import { NewProjectDialog } from './new-project-dialog'
import { ProjectKindBadge } from './project/project-kind-badge'
import { projectPath } from './project/project-path'
import { NameQuestions } from './project/project-questions'

interface ProjectListProps {
  handle: string
  /** Everyone's projects, for admins. */
  everyone?: boolean
  /** Whether the user may make teams and classes. */
  classes: boolean
}

/** The projects page: the user's own and shared projects, or all projects for admins. */
export function ProjectList({ handle, everyone = false, classes }: ProjectListProps) {
  const query = useInfiniteQuery(projectsQuery(everyone))
  const columns = useMemo(() => projectColumns({ handle, everyone }), [handle, everyone])
  return (
    <>
      <PageHeader
        title={everyone ? 'All projects' : 'Projects'}
        description={
          everyone
            ? 'Every project with its members and limits.'
            : 'Your projects and those shared with you. A job with a new project_id creates that project.'
        }
        actions={<NewProjectDialog forOthers={everyone} classes={classes} />}
      />
      {everyone ? null : <ReceivedInvitations />}
      {everyone ? null : <NameQuestions projects={query.data?.pages.flatMap(({ items }) => items) ?? []} />}
      <ListPanel
        query={query}
        empty={
          <EmptyState icon={FolderClosed} title="No projects yet">
            Your first job creates the project that its config names. Create one here to share it with others.
          </EmptyState>
        }
      >
        {(projects) => (
          <DataTable caption="Projects" columns={columns} items={projects} keyOf={({ id }) => id} />
        )}
      </ListPanel>
    </>
  )
}

function projectColumns({
  handle,
  everyone,
}: Required<Omit<ProjectListProps, 'classes'>>): Column<Project>[] {
  const jobs = everyone ? '/admin/jobs' : '/jobs'
  return [
    {
      label: 'Project',
      kind: 'title',
      cell: ({ id, project_id, name, kind }) => (
        <span className="flex min-w-0 flex-col">
          <span className="flex items-center gap-1.5">
            <RowLink href={projectPath(id)} className="truncate">
              {project_id}
            </RowLink>
            <ProjectKindBadge kind={kind} />
          </span>
          {name ? <span className="truncate text-subtle text-xs">{name}</span> : null}
        </span>
      ),
    },
    {
      label: 'Owner',
      cell: ({ owner, names }) => (
        <span className="flex items-center gap-1.5">
          <Person handle={owner} name={names[owner]} />
          {owner === handle || everyone ? null : <Badge tone="info">shared with you</Badge>}
        </span>
      ),
    },
    { label: 'Members', align: 'end', cell: ({ members }) => members.length + 1 },
    { label: 'Storage', align: 'end', cell: ({ storage }) => describeStorageUse(storage) },
    { label: 'Created', cell: ({ created_at }) => <RelativeTime at={created_at} className="text-muted" /> },
    {
      label: 'Actions',
      kind: 'actions',
      cell: ({ id, project_id }) => (
        <span className="flex flex-wrap items-center justify-end gap-1.5">
          {projectPages.map(({ label, icon, pathOf }) => (
            <ButtonLink key={label} icon={icon} href={pathOf(id, project_id)} size="sm">
              {label}
              <span className="sr-only"> of {project_id}</span>
            </ButtonLink>
          ))}
          <ButtonLink icon={Activity} href={`${jobs}?project_id=${encodeURIComponent(project_id)}`} size="sm">
            Jobs
            <span className="sr-only"> of {project_id}</span>
          </ButtonLink>
        </span>
      ),
    },
  ]
}
