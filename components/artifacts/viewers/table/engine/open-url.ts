import { TableError } from './table-limits'

/**
 * Requests a file of this site, or a part of it, whose `end` is its last byte.
 * @throws TableError with the reason of the server
 */
export async function openUrl(
  url: string,
  signal: AbortSignal,
  range?: { start: number; end: number },
): Promise<Response> {
  const headers: Record<string, string> = range ? { range: `bytes=${range.start}-${range.end}` } : {}
  const response = await fetch(url, { signal, headers })
  if (response.ok) return response
  const problem: unknown = await response.json().catch(() => null)
  const detail = problem && typeof problem === 'object' && 'detail' in problem ? String(problem.detail) : ''
  throw new TableError(detail || `The server answered with status ${response.status}. Try again.`)
}
