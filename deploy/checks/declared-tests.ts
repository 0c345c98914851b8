const declared = /\b(?:it|test)(?:\.\w+)*(?:<[^>]*>)?(?:\([^()]*\))?\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs

/** The titles that a template of a test's title becomes, with a group for each value: `is %s` matches "is round". */
export function titlePattern(template: string): RegExp {
  const texts = template.split(/\$\{[^}]*\}|\$\w+|%\w/)
  return new RegExp(`^${texts.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('(.+)')}$`)
}

/** Whether a test file declares a test of this title, which may be made from a template and a value in the file. */
export function declaresTest(source: string, title: string): boolean {
  return [...source.matchAll(declared)].some(([, , literal = '']) => {
    const values = titlePattern(literal.replaceAll(/\\(.)/g, '$1')).exec(title)?.slice(1)
    return values?.every((value) => source.includes(value))
  })
}
