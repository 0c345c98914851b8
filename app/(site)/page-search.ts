/** What Next hands a page as its query. */
export type PageSearch = Promise<Record<string, string | string[] | undefined>>

/** The query as the browser would read it; of a name given twice, the first counts. */
export async function readSearch(search: PageSearch): Promise<URLSearchParams> {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(await search)) {
    const [first] = Array.isArray(value) ? value : [value]
    if (first !== undefined) params.set(name, first)
  }
  return params
}

/** A path with its query, as an address on this site. */
export function withSearch(path: string, params: URLSearchParams): string {
  return params.size > 0 ? `${path}?${params}` : path
}
