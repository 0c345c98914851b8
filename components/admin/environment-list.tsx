'use client'

import { useQuery } from '@tanstack/react-query'
import { Box, Pencil, Plus } from 'lucide-react'
import { useState } from 'react'
import { environmentsQuery } from '@/components/queries/queries'
import type { Environment } from '@/lib/contract/access'
import { LoadFailure } from '../shell/load-failure'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { EmptyState } from '../ui/empty-state'
import { IconButton } from '../ui/icon-button'
import { PageHeader } from '../ui/page-header'
import { Panel } from '../ui/panel'
import { SkeletonRows } from '../ui/skeleton'
import { Cell, HeaderCell, Table, TableBody, TableHead, TableRow } from '../ui/table'
import { EnvironmentDialog } from './environment-dialog'

/** The environments page. */
export function EnvironmentList() {
  const [open, setOpen] = useState<{ environment: Environment | null } | null>(null)
  return (
    <>
      <PageHeader
        title="Environments"
        description="The container images that jobs may run in."
        actions={
          <Button variant="primary" onClick={() => setOpen({ environment: null })}>
            <Plus aria-hidden />
            New environment
          </Button>
        }
      />
      <Panel>
        <Environments onEdit={(environment) => setOpen({ environment })} />
      </Panel>
      {open ? <EnvironmentDialog environment={open.environment} onClose={() => setOpen(null)} /> : null}
    </>
  )
}

function Environments({ onEdit }: { onEdit: (environment: Environment) => void }) {
  const { data, error, isPending, refetch } = useQuery(environmentsQuery())
  if (isPending) return <SkeletonRows rows={2} />
  if (!data) return <LoadFailure className="m-4" error={error} onRetry={() => void refetch()} />
  if (data.length === 0) {
    return (
      <EmptyState icon={Box} title="No environments yet">
        Jobs run in an environment. Create one from an image that the nodes have.
      </EmptyState>
    )
  }
  return (
    <Table caption="Environments">
      <TableHead>
        <HeaderCell>Name</HeaderCell>
        <HeaderCell>Image</HeaderCell>
        <HeaderCell>Network</HeaderCell>
        <HeaderCell>State</HeaderCell>
        <HeaderCell hidden>Actions</HeaderCell>
      </TableHead>
      <TableBody>
        {data.map((environment) => (
          <EnvironmentRow
            key={environment.name}
            environment={environment}
            onEdit={() => onEdit(environment)}
          />
        ))}
      </TableBody>
    </Table>
  )
}

function EnvironmentRow({ environment, onEdit }: { environment: Environment; onEdit: () => void }) {
  return (
    <TableRow>
      <Cell>
        <span className="flex min-w-0 flex-col">
          <span className="flex items-center gap-1.5 font-medium text-ink">
            {environment.name}
            {environment.is_default ? <Badge tone="accent">default</Badge> : null}
          </span>
          {environment.description ? (
            <span className="text-subtle text-xs">{environment.description}</span>
          ) : null}
        </span>
      </Cell>
      <Cell label="Image">
        <span className="min-w-0 break-all font-mono text-muted text-xs">{environment.image}</span>
      </Cell>
      <Cell label="Network">
        <Badge tone={environment.network === 'internet' ? 'warning' : 'neutral'}>{environment.network}</Badge>
      </Cell>
      <Cell label="State">
        <Badge tone={environment.enabled ? 'success' : 'neutral'}>
          {environment.enabled ? 'enabled' : 'disabled'}
        </Badge>
      </Cell>
      <Cell align="end">
        <IconButton icon={Pencil} label={`Edit ${environment.name}`} onClick={onEdit} />
      </Cell>
    </TableRow>
  )
}
