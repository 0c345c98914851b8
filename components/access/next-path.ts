/** The page to open after signing in. Accepts only paths of this site: an attacker may have made the link. */
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
  // The URL parser decides: like the browser, it turns `/\evil` and `/<tab>/evil` into another host.
  return url.origin === site && !url.pathname.startsWith('//') ? url.pathname + url.search + url.hash : home
}
