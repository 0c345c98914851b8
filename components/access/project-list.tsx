'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { FolderClosed, Users } from 'lucide-react'
import { useState } from 'react'
import { projectsQuery } from '@/components/queries/queries'
import type { Project } from '@/lib/contract/access'
import { ListPanel } from '../shell/list-panel'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { EmptyState } from '../ui/empty-state'
import { PageHeader } from '../ui/page-header'
import { RelativeTime } from '../ui/relative-time'
import { Cell, HeaderCell, RowLink, Table, TableBody, TableHead, TableRow } from '../ui/table'
import { NewProjectDialog } from './new-project-dialog'
import { ProjectDialog } from './project-dialog'

interface ProjectListProps {
  handle: string
  admin: boolean
  /** Everyone's projects, for admins. */
  everyone?: boolean
}

/** The projects page: the user's own and shared projects, or all projects for admins. */
export function ProjectList({ handle, admin, everyone = false }: ProjectListProps) {
  const query = useInfiniteQuery(projectsQuery(everyone))
  const [openId, setOpenId] = useState<string | null>(null)
  const open = query.data?.pages.flatMap(({ items }) => items).find(({ id }) => id === openId)
  return (
    <>
      <PageHeader
        title={everyone ? 'All projects' : 'Projects'}
        description={
          everyone
            ? 'Every project with its members and limits.'
            : 'Your projects and those shared with you. A job with a new project_id creates that project.'
        }
        actions={<NewProjectDialog forOthers={everyone} />}
      />
      <ListPanel
        query={query}
        empty={
          <EmptyState icon={FolderClosed} title="No projects yet">
            Your first job creates the project in its config. Create one here to share it with others.
          </EmptyState>
        }
      >
        {(projects) => (
          <ProjectTable
            projects={projects}
            handle={handle}
            admin={admin}
            everyone={everyone}
            onOpen={setOpenId}
          />
        )}
      </ListPanel>
      {open ? (
        <ProjectDialog
          project={open}
          editable={admin || open.owner === handle}
          admin={admin}
          onClose={() => setOpenId(null)}
        />
      ) : null}
    </>
  )
}

interface ProjectTableProps {
  projects: readonly Project[]
  handle: string
  admin: boolean
  everyone: boolean
  onOpen: (id: string) => void
}

function ProjectTable({ projects, handle, admin, everyone, onOpen }: ProjectTableProps) {
  const jobsOf = (project: Project) =>
    `${everyone ? '/admin/jobs' : '/jobs'}?project_id=${encodeURIComponent(project.project_id)}`
  return (
    <Table caption="Projects">
      <TableHead>
        <HeaderCell>Project</HeaderCell>
        <HeaderCell>Owner</HeaderCell>
        <HeaderCell align="end">Members</HeaderCell>
        <HeaderCell>Created</HeaderCell>
        <HeaderCell hidden>Actions</HeaderCell>
      </TableHead>
      <TableBody>
        {projects.map((project) => (
          <TableRow key={project.id}>
            <Cell>
              <span className="flex min-w-0 flex-col">
                <RowLink href={jobsOf(project)} className="truncate">
                  {project.project_id}
                </RowLink>
                {project.name ? <span className="truncate text-subtle text-xs">{project.name}</span> : null}
              </span>
            </Cell>
            <Cell label="Owner">
              <span className="flex items-center gap-1.5">
                {project.owner}
                {project.owner === handle || everyone ? null : <Badge tone="info">shared with you</Badge>}
              </span>
            </Cell>
            <Cell label="Members" align="end">
              {project.members.length + 1}
            </Cell>
            <Cell label="Created">
              <RelativeTime at={project.created_at} className="text-muted" />
            </Cell>
            <Cell align="end">
              <Button size="sm" className="relative" onClick={() => onOpen(project.id)}>
                <Users aria-hidden />
                {admin || project.owner === handle ? 'Manage' : 'Members'}
                <span className="sr-only"> {project.project_id}</span>
              </Button>
            </Cell>
          </TableRow>
        ))}
      </TableBody>
    </Table>
  )
}
