/** How many seconds the `Prefer` header (RFC 7240) lets a submit wait for its result; null where it does not say. */
export function preferredWait(request: Request): number | null {
  const prefer = request.headers.get('prefer')?.toLowerCase() ?? ''
  const wait = prefer.match(/(?:^|,)\s*wait=(\d{1,9})\s*(?:[,;]|$)/)?.[1]
  if (wait !== undefined) return Number(wait)
  return /(?:^|,)\s*respond-async\s*(?:[,;]|$)/.test(prefer) ? 0 : null
}
