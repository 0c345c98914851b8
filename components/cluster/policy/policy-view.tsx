'use client'

import { useQuery } from '@tanstack/react-query'
import { modelsQuery, policyQuery } from '@/components/queries/cluster'
import { roleLimitsQuery } from '@/components/queries/queries'
import { roles } from '@/lib/contract/access/roles'
import type { EngineName } from '@/lib/contract/cluster/engine'
import { RoleLimitsForm } from '../../access/role-limits-form'
import { pagesOfEngine } from '../../features'
import { Loaded } from '../../shell/load-failure'
import { PageHeader } from '../../ui/page-header'
import { Skeleton } from '../../ui/skeleton'
import { ModelTableForm } from './model-table-form'
import { PolicyForm } from './policy-form'

/** The page of the policy, the model table and the limits of roles, for admins. */
export function PolicyView({ engine }: { engine: EngineName }) {
  const external = pagesOfEngine(engine)
  const Form = external?.PolicyForm ?? PolicyForm
  const placeholder = <Skeleton className="h-120 rounded-lg" />
  return (
    <>
      <PageHeader
        title="Policy and models"
        path={[{ label: 'Cluster', href: '/cluster' }]}
        description={
          external?.aboutPolicy ??
          'The order of the queue, the handling of failures, the GPUs that each model needs, and the limits of users.'
        }
      />
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <Loaded query={useQuery(policyQuery())} placeholder={placeholder}>
          {(policy) => <Form policy={policy} />}
        </Loaded>
        <Loaded query={useQuery(modelsQuery())} placeholder={placeholder}>
          {(models) => <ModelTableForm table={models} />}
        </Loaded>
        <Loaded query={useQuery(roleLimitsQuery())} placeholder={placeholder}>
          {(limits) => roles.map((role) => <RoleLimitsForm key={role} role={role} limits={limits[role]} />)}
        </Loaded>
      </div>
    </>
  )
}
