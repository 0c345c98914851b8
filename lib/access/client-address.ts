/**
 * Returns the address of the client. The web server sets `x-forwarded-for` to one trustworthy address before anything
 * reads it.
 */
export function clientAddress(headers: Headers): string {
  return headers.get('x-forwarded-for')?.split(',')[0]?.trim() || 'unknown'
}
