import { decodeNames, encodeName } from '@/lib/contract/text/encode-name'

/** The most jobs in one comparison. */
export const maxCompared = 12

/**
 * The address of a comparison. The order of the ids is that of the columns and the colours.
 * @param settings of the address of a comparison with other jobs
 */
export function comparePath(ids: readonly string[], settings?: URLSearchParams): string {
  const others = new URLSearchParams(settings)
  others.delete('ids')
  return `/jobs/compare?ids=${ids.map(encodeURIComponent).join(',')}${others.size > 0 ? `&${others}` : ''}`
}

/** The address with these jobs hidden in the charts. */
export function withHidden(address: URLSearchParams, ids: readonly string[]): URLSearchParams {
  return withSetting(address, 'hide', ids.join(','))
}

/** The address with jobs grouped by a tag or a value of their configs; null: not grouped. */
export function withGroup(address: URLSearchParams, by: string | null): URLSearchParams {
  return withSetting(address, 'group', by ?? '')
}

/** The metrics of which the best value is not the one that their names suggest. */
export function readTurned(address: URLSearchParams): string[] {
  return decodeNames(address.get('turned') ?? '')
}

/** The address with the other value as the best one of a metric, or again the one that its name suggests. */
export function turnBest(address: URLSearchParams, metric: string): URLSearchParams {
  const turned = readTurned(address)
  const next = turned.includes(metric) ? turned.filter((name) => name !== metric) : [...turned, metric]
  return withSetting(address, 'turned', next.map(encodeName).join(','))
}

function withSetting(address: URLSearchParams, name: string, value: string): URLSearchParams {
  const params = new URLSearchParams(address)
  if (value) params.set(name, value)
  else params.delete(name)
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
