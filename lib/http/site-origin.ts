import { env } from '../env'

/**
 * Where the caller reached gpuq, as the start of a link to hand out: the public address if one is set, else the host
 * that the request itself named. The server's own idea of its address is of no use behind a proxy or a second name.
 */
export function siteOrigin(request: Request): string {
  const configured = env().GPUQ_URL
  if (configured) return new URL(configured).origin
  const { headers } = request
  const host = first(headers.get('x-forwarded-host')) ?? headers.get('host') ?? new URL(request.url).host
  const scheme = first(headers.get('x-forwarded-proto')) === 'https' ? 'https' : 'http'
  const named = `${scheme}://${host}`
  return URL.canParse(named) ? new URL(named).origin : new URL(request.url).origin
}

function first(list: string | null): string | null {
  return list?.split(',')[0]?.trim() || null
}
