import { requireAdminRole } from '@/lib/access/actor'
import { renderMetrics } from '@/lib/cluster/overview/metrics'
import { serverOperations } from '@/lib/contract/operations/server'
import { route } from '@/lib/http/route'

/** Metrics for Prometheus, which sends an admin's token as its bearer token. It need not be able to change anything. */
export const GET = route(serverOperations.metrics, async ({ actor }) => {
  requireAdminRole(actor)
  const { body, contentType } = await renderMetrics(actor)
  return new Response(body, { headers: { 'content-type': contentType, 'cache-control': 'no-store' } })
})
