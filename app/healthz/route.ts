import { serverOperations } from '@/lib/contract/operations/server'
import { route } from '@/lib/http/route'

export const GET = route(serverOperations.health, () =>
  Response.json({ status: 'ok' }, { headers: { 'cache-control': 'no-store' } }),
)
