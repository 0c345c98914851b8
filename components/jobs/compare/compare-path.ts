/** The most jobs in one comparison. */
export const maxCompared = 12

/** The address of a comparison. The order of the ids is that of the columns and the colours. */
export function comparePath(ids: readonly string[]): string {
  return `/jobs/compare?ids=${ids.map(encodeURIComponent).join(',')}`
}

/** The address with these jobs hidden in the charts. */
export function withHidden(address: URLSearchParams, ids: readonly string[]): URLSearchParams {
  const params = new URLSearchParams(address)
  if (ids.length > 0) params.set('hide', ids.join(','))
  else params.delete('hide')
  return params
}

/** The ids in an address, each once, and how many are left out because there are too many. */
export function readCompared(text: string | null): { ids: string[]; left: number } {
  const ids = (text ?? '')
    .split(',')
    .map((id) => id.trim().toLowerCase())
    .filter((id) => id !== '')
  const different = [...new Set(ids)]
  return { ids: different.slice(0, maxCompared), left: Math.max(0, different.length - maxCompared) }
}
