import { renderMetrics } from '@/lib/cluster/overview/metrics'
import { route } from '@/lib/http/route'

/** Figures for Prometheus, which sends an admin's token as its bearer token. */
export const GET = route('admin', async ({ actor }) => {
  const { body, contentType } = await renderMetrics(actor)
  return new Response(body, { headers: { 'content-type': contentType, 'cache-control': 'no-store' } })
})
