const keys = ['matrix', 'array', 'members']
const lineWithKey = new RegExp(`^["']?(?:${keys.join('|')})["']?[ \\t]*:`, 'm')

/** Whether the text of a `config.yaml` is that of a group: it has one of the keys at its top. */
export const isGroupConfig = (text: string) => lineWithKey.test(text) || isGroupJson(text)

/** JSON can be one line. */
function isGroupJson(text: string): boolean {
  if (!/^\s*\{/.test(text)) return false
  try {
    const config = JSON.parse(text) as object
    return keys.some((key) => Object.hasOwn(config, key))
  } catch {
    return false
  }
}
