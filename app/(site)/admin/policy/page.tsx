import type { Metadata } from 'next'
import { PolicyView } from '@/components/cluster/policy/policy-view'
import { pageAdmin } from '../../page-actor'

export const metadata: Metadata = { title: 'Policy and models' }

export default async function PolicyPage() {
  await pageAdmin('/admin/policy')
  return <PolicyView />
}
