import { GpuqError } from '../contract/errors'

/**
 * How many seconds a submit may wait for its result: `?wait=false` or `Prefer: respond-async` none at all, `?wait=30`
 * or `Prefer: wait=30` that many, otherwise as long as the server does. RFC 7240.
 */
export function parseWait(request: Request, url: URL, longest: number): number {
  const query = url.searchParams.get('wait')
  if (query !== null) return fromQuery(query, longest)
  const prefer = request.headers.get('prefer')?.toLowerCase() ?? ''
  const wait = prefer.match(/(?:^|,)\s*wait=(\d{1,9})\s*(?:[,;]|$)/)?.[1]
  if (wait !== undefined) return Math.min(Number(wait), longest)
  return /(?:^|,)\s*respond-async\s*(?:[,;]|$)/.test(prefer) ? 0 : longest
}

function fromQuery(text: string, longest: number): number {
  if (text === 'false') return 0
  if (text === 'true' || text === '') return longest
  if (/^\d{1,9}$/.test(text)) return Math.min(Number(text), longest)
  throw new GpuqError('invalid_request', 'wait is "true", "false", or a number of seconds.')
}

/** Whether a job of the same content may take the place of what is submitted: `?deduplicate=true`. */
export function parseDeduplicate(url: URL): boolean {
  const query = url.searchParams.get('deduplicate')
  if (query === null || query === 'false') return false
  if (query === 'true' || query === '') return true
  throw new GpuqError('invalid_request', 'deduplicate is "true" or "false".')
}
