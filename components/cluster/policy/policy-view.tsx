'use client'

import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { modelsQuery, policyQuery } from '@/components/queries/cluster'
import { LoadFailure } from '../../shell/load-failure'
import { PageHeader } from '../../ui/page-header'
import { Skeleton } from '../../ui/skeleton'
import { ModelTableForm } from './model-table-form'
import { PolicyForm } from './policy-form'

/** The page of the policy and the model table, for admins. */
export function PolicyView() {
  const policy = useQuery(policyQuery())
  const models = useQuery(modelsQuery())
  return (
    <>
      <PageHeader
        title="Policy and models"
        path={[{ label: 'Cluster', href: '/cluster' }]}
        description="The order of the queue, the handling of failures, and the GPUs that each model needs."
      />
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <Loaded query={policy}>{(data) => <PolicyForm policy={data} />}</Loaded>
        <Loaded query={models}>{(data) => <ModelTableForm table={data} />}</Loaded>
      </div>
    </>
  )
}

interface LoadedProps<Data> {
  query: UseQueryResult<Data>
  children: (data: Data) => ReactNode
}

function Loaded<Data>({ query, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <LoadFailure error={query.error} onRetry={() => void query.refetch()} />
  return <Skeleton className="h-120 rounded-lg" />
}
