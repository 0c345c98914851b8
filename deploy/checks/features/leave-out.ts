import ts from 'typescript'

const options = { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext }

/**
 * Leaves modules out of a file that registers features: their imports, and each statement, member of a list and property that uses
 * one. The rest is JavaScript.
 * @param find the name under which a module is imported now; null: it is left out.
 * @throws {Error} if a module is used in another way: the feature is not registered, but a part of the file.
 */
export function leaveOut(text: string, find: (specifier: string) => string | null): string {
  const { outputText } = ts.transpileModule(text, { compilerOptions: options })
  const source = ts.createSourceFile('registration.js', outputText, options.target, true)
  const isModule = (node: ts.Node): node is ts.StringLiteral =>
    ts.isStringLiteral(node) && (ts.isImportDeclaration(node.parent) || isImportCall(node.parent))
  const isLeft = (node: ts.Node): boolean => isModule(node) && find(node.text) === null
  const names = new Set(
    source.statements
      .filter(ts.isImportDeclaration)
      .flatMap((one) => (isLeft(one.moduleSpecifier) ? namesOf(one) : [])),
  )
  const isUse = (node: ts.Node): boolean =>
    isLeft(node) || (ts.isIdentifier(node) && names.has(node.text) && !isPropertyName(node))
  /** Whether a node uses a module itself, not in a smaller part that can be left out. */
  const uses = (node: ts.Node): boolean =>
    isUse(node) || (ts.forEachChild(node, (child) => !isPart(child) && uses(child)) ?? false)

  const { transformed } = ts.transform(source, [
    (context) => (file) => {
      const visit = (node: ts.Node): ts.Node | undefined => {
        if (ts.isImportDeclaration(node) ? isLeft(node.moduleSpecifier) : isPart(node) && uses(node))
          return undefined
        if (ts.isImportClause(node)) return node
        if (isUse(node)) throw new Error(`This cannot be left out: ${node.parent.getText()}`)
        if (isModule(node)) return context.factory.createStringLiteral(find(node.text) ?? '')
        return ts.visitEachChild(node, visit, context)
      }
      return ts.visitEachChild(file, visit, context)
    },
  ])
  return transformed.map((file) => ts.createPrinter().printFile(file)).join('')
}

function namesOf({ importClause }: ts.ImportDeclaration): string[] {
  const bindings = importClause?.namedBindings
  const named = bindings && ts.isNamedImports(bindings) ? bindings.elements : [bindings]
  return [importClause, ...named].flatMap((one) => (one && 'name' in one ? (one.name?.text ?? []) : []))
}

const isImportCall = (node: ts.Node) =>
  ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword

const isPropertyName = (node: ts.Identifier) =>
  (ts.isPropertyAccessExpression(node.parent) || ts.isPropertyAssignment(node.parent)) &&
  node.parent.name === node

const isMember = (node: ts.Node) => ts.isArrayLiteralExpression(node.parent)

/** Whether a file is complete without the node. An object in a list is left out as a whole. */
const isPart = (node: ts.Node): boolean =>
  ts.isExpressionStatement(node) ||
  isMember(node) ||
  (ts.isObjectLiteralElementLike(node) && !isMember(node.parent))
