/** Changes the address's query without asking the server for the page again: what depends on it follows by itself. */
export function changeSearch(params: URLSearchParams, how: 'push' | 'replace'): void {
  const url = params.size > 0 ? `?${params}` : window.location.pathname
  if (how === 'push') window.history.pushState(null, '', url)
  else window.history.replaceState(null, '', url)
}
