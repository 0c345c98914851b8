const declared = /\b(?:it|test)(?:\.\w+)*(?:<[^>]*>)?(?:\([^()]*\))?\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs

/** Whether a test file declares a test of this title, which may be made from a template and a value in the file. */
export function declaresTest(source: string, title: string): boolean {
  return [...source.matchAll(declared)].some(([, , literal = '']) => {
    const texts = literal.replaceAll(/\\(.)/g, '$1').split(/\$\{[^}]*\}|\$\w+|%\w/)
    const pattern = texts.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('(.+)')
    const values = new RegExp(`^${pattern}$`).exec(title)?.slice(1)
    return values?.every((value) => source.includes(value))
  })
}
