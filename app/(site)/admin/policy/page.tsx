import type { Metadata } from 'next'
import { PolicyView } from '@/components/cluster/policy/policy-view'
import { modelsQuery, policyQuery } from '@/components/queries/cluster'
import { readPolicy, toApiPolicy } from '@/lib/cluster/admin/policy'
import { env } from '@/lib/env'
import { readModels } from '@/lib/jobs/submission/model-table'
import { Prefetched } from '../../prefetched'
import { requireAdmin } from '../../require-actor'

export const metadata: Metadata = { title: 'Policy and models' }

export default async function PolicyPage() {
  await requireAdmin('/admin/policy')
  return (
    <Prefetched queryKey={policyQuery().queryKey} load={async () => toApiPolicy(await readPolicy())}>
      <Prefetched queryKey={modelsQuery().queryKey} load={() => readModels()}>
        <PolicyView engine={env().GPUQ_ENGINE} />
      </Prefetched>
    </Prefetched>
  )
}
