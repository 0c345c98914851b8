import ts from 'typescript'

/** The same for the same text in the same function: one condition is not true and false at once. */
export function keyOf(node: ts.Node): string {
  let outer = node.parent
  while (outer && !ts.isFunctionLike(outer) && !ts.isSourceFile(outer)) outer = outer.parent
  return `${node.getSourceFile().fileName}:${outer?.pos}:${node.getText()}`
}

/** The expressions that a function returns. */
export function returnsOf(fn: ts.FunctionLikeDeclaration): ts.Expression[] {
  if (!fn.body) return []
  if (!ts.isBlock(fn.body)) return [fn.body]
  const found: ts.Expression[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isReturnStatement(node) && node.expression) found.push(node.expression)
    if (!ts.isFunctionLike(node)) node.forEachChild(visit)
  }
  fn.body.forEachChild(visit)
  return found
}
