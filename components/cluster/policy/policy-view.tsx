'use client'

import { useQuery } from '@tanstack/react-query'
import { modelsQuery, policyQuery } from '@/components/queries/cluster'
import { Loaded } from '../../shell/load-failure'
import { PageHeader } from '../../ui/page-header'
import { Skeleton } from '../../ui/skeleton'
import { ModelTableForm } from './model-table-form'
import { PolicyForm } from './policy-form'

/** The page of the policy and the model table, for admins. */
export function PolicyView() {
  const placeholder = <Skeleton className="h-120 rounded-lg" />
  return (
    <>
      <PageHeader
        title="Policy and models"
        path={[{ label: 'Cluster', href: '/cluster' }]}
        description="The order of the queue, the handling of failures, and the GPUs that each model needs."
      />
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <Loaded query={useQuery(policyQuery())} placeholder={placeholder}>
          {(policy) => <PolicyForm policy={policy} />}
        </Loaded>
        <Loaded query={useQuery(modelsQuery())} placeholder={placeholder}>
          {(models) => <ModelTableForm table={models} />}
        </Loaded>
      </div>
    </>
  )
}
