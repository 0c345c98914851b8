'use client'

import { useQuery } from '@tanstack/react-query'
import { Box, Pencil, Plus } from 'lucide-react'
import { environmentsQuery } from '@/components/queries/queries'
import type { Environment } from '@/lib/contract/access/environments'
import { Loaded } from '../shell/load-failure'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { EmptyState } from '../ui/empty-state'
import { IconButton } from '../ui/icon-button'
import { PageHeader } from '../ui/page-header'
import { Panel } from '../ui/panel'
import { SkeletonRows } from '../ui/skeleton'
import { type Column, DataTable } from '../ui/table'
import { EnvironmentDialog } from './environment-dialog'

/** The environments page. */
export function EnvironmentList() {
  const query = useQuery(environmentsQuery())
  return (
    <>
      <PageHeader
        title="Environments"
        description="The container images that jobs may run in."
        actions={
          <EnvironmentDialog
            environment={null}
            trigger={
              <Button icon={Plus} variant="primary">
                New environment
              </Button>
            }
          />
        }
      />
      <Panel>
        <Loaded query={query} placeholder={<SkeletonRows rows={2} />} failureClass="m-4">
          {(environments) =>
            environments.length === 0 ? (
              <EmptyState icon={Box} title="No environments yet">
                Jobs run in an environment. Create one from an image that the nodes have.
              </EmptyState>
            ) : (
              <DataTable
                caption="Environments"
                columns={columns}
                items={environments}
                keyOf={({ name }) => name}
              />
            )
          }
        </Loaded>
      </Panel>
    </>
  )
}

const columns: readonly Column<Environment>[] = [
  {
    label: 'Name',
    kind: 'title',
    cell: ({ name, description, is_default }) => (
      <span className="flex min-w-0 flex-col">
        <span className="flex min-w-0 flex-wrap items-center gap-1.5 font-medium text-ink">
          <span className="min-w-0 wrap-anywhere">{name}</span>
          {is_default ? <Badge tone="accent">default</Badge> : null}
        </span>
        {description ? <span className="wrap-anywhere text-subtle text-xs">{description}</span> : null}
      </span>
    ),
  },
  {
    label: 'Image',
    cell: ({ image }) => <span className="min-w-0 break-all font-mono text-muted text-xs">{image}</span>,
  },
  {
    label: 'Prepared imports',
    cell: ({ prepare, prepare_problem }) => (
      <span className="flex min-w-0 flex-col items-start gap-1">
        <span className="min-w-0 break-all font-mono text-muted text-xs">{prepare.join(', ') || '–'}</span>
        {prepare_problem ? (
          <span className="min-w-0 break-words text-subtle text-xs">
            <Badge tone="warning">not used</Badge> {prepare_problem}
          </span>
        ) : null}
      </span>
    ),
  },
  {
    label: 'Network',
    cell: ({ network }) => <Badge tone={network === 'internet' ? 'warning' : 'neutral'}>{network}</Badge>,
  },
  {
    label: 'State',
    cell: ({ enabled }) => (
      <Badge tone={enabled ? 'success' : 'neutral'}>{enabled ? 'enabled' : 'disabled'}</Badge>
    ),
  },
  {
    label: 'Actions',
    kind: 'actions',
    cell: (environment) => (
      <EnvironmentDialog
        environment={environment}
        trigger={<IconButton icon={Pencil} label={`Edit ${environment.name}`} />}
      />
    ),
  },
]
