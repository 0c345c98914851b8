import { TableError } from './table-limits'

/** Requests a file of this site. @throws TableError with the reason of the server */
export async function openUrl(url: string, signal: AbortSignal): Promise<Response> {
  const response = await fetch(url, { signal })
  if (response.ok) return response
  const problem: unknown = await response.json().catch(() => null)
  const detail = problem && typeof problem === 'object' && 'detail' in problem ? String(problem.detail) : ''
  throw new TableError(detail || `The server answered with status ${response.status}. Try again.`)
}
