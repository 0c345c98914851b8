import { route } from '@/lib/http/route'

/** The web server is alive. */
export const GET = route('public', async () =>
  Response.json({ status: 'ok' }, { headers: { 'cache-control': 'no-store' } }),
)
