/** Where to go after signing in. Anything but a path on this site is refused: a link may come from a stranger. */
export function safeNextPath(next: string | undefined): string {
  const home = '/jobs'
  if (!next?.startsWith('/')) return home
  const site = 'http://gpuq.invalid'
  let url: URL
  try {
    url = new URL(next, site)
  } catch {
    return home
  }
  // The parser's view is what counts: it turns `/\evil` and `/<tab>/evil` into another host as the browser would.
  return url.origin === site && !url.pathname.startsWith('//') ? url.pathname + url.search + url.hash : home
}
