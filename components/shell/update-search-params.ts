/** Changes the query of the page's address without a request to the server. */
export function updateSearchParams(params: URLSearchParams, mode: 'push' | 'replace'): void {
  const url = params.size > 0 ? `?${params}` : window.location.pathname
  if (mode === 'push') window.history.pushState(null, '', url)
  else window.history.replaceState(null, '', url)
}
