/** The query that Next.js passes to a page. */
export type SearchParams = Promise<Record<string, string | string[] | undefined>>

/** The query as URLSearchParams. If a name occurs twice, the first value counts. */
export async function readSearchParams(search: SearchParams): Promise<URLSearchParams> {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(await search)) {
    const [first] = Array.isArray(value) ? value : [value]
    if (first !== undefined) params.set(name, first)
  }
  return params
}

/** A path with its query. */
export function withSearchParams(path: string, params: URLSearchParams): string {
  return params.size > 0 ? `${path}?${params}` : path
}
