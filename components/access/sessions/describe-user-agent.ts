/** Browsers by the word in their `User-Agent`. The order matters: most name the browsers that they imitate, too. */
const browsers = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['CriOS', 'Chrome'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const

const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

function find(list: readonly (readonly [word: string, name: string])[], userAgent: string): string | null {
  return list.find(([word]) => userAgent.includes(word))?.[1] ?? null
}

/** Names the browser and the system of a `User-Agent`; an unknown one is shown as it is. */
export function describeUserAgent(userAgent: string): string {
  const browser = find(browsers, userAgent)
  const system = find(systems, userAgent)
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? (userAgent || 'Unknown browser')
}
