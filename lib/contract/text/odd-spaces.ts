/** Characters that look like a space, or like nothing, and are none for YAML, a shell or a token. */
const oddSpace = /[\u00a0\u1680\u2000-\u200b\u202f\u205f\u2060\u3000\ufeff]/

/** What to do about a character in a text that only looks like a space; null: there is none. */
export function describeOddSpace(text: string): string | null {
  const [found] = oddSpace.exec(text) ?? []
  if (found === undefined) return null
  const name = /[\u00a0\u202f]/.test(found) ? 'a no-break space' : 'a special space'
  const code = found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
  return `${name} (U+${code}) stands here, which looks like a space: write a normal space instead, or remove it`
}

/** Whether a text begins or ends with such a character, as texts do that were copied from a page or a chat. */
export function hasOddEnds(text: string): boolean {
  return oddSpace.test(text.charAt(0)) || oddSpace.test(text.charAt(text.length - 1))
}
