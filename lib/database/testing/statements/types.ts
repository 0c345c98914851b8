import ts from 'typescript'
import type { Choices } from './choices'
import { keyOf } from './syntax'
import { type Scope, toText, type Value } from './values'

/** What the types of TypeScript say about expressions of statements. */
export class Types {
  constructor(
    private readonly checker: ts.TypeChecker,
    private readonly choices: Choices,
  ) {}

  /** The value of an expression whose type has few: a union of texts, or any number. */
  literal(node: ts.Expression): Value | undefined {
    if (this.isNumber(node)) return toText('1')
    const type = this.checker.getTypeAtLocation(node)
    const types = type.isUnion() ? type.types : [type]
    const texts = types.flatMap((member) => (member.isStringLiteral() ? member.value : []))
    if (texts.length < types.length) return undefined
    return toText(texts[this.choices.choose(keyOf(node), texts.length)] ?? '')
  }

  isNumber(node: ts.Expression): boolean {
    return this.has(node, ts.TypeFlags.NumberLike)
  }

  has(node: ts.Expression, flag: ts.TypeFlags): boolean {
    return Boolean(this.checker.getTypeAtLocation(node).flags & flag)
  }

  /** A type argument of a call, written or inferred. */
  typeArgument(call: ts.CallExpression, index: number, scope: Scope): ts.Type | undefined {
    const signature = this.checker.getResolvedSignature(call)
    const types = signature && this.checker.getTypeArgumentsForResolvedSignature(signature)
    const written = call.typeArguments?.[index]
    let type = written ? this.checker.getTypeFromTypeNode(written) : types?.[index]
    for (;;) {
      const declaration = type?.symbol?.declarations?.[0]
      const found = declaration && ts.isTypeParameterDeclaration(declaration) && scope.types.get(declaration)
      if (!found) return type
      type = found
    }
  }

  /** The declaration of a name, in the file that it is imported from. */
  declarationOf(node: ts.Identifier): ts.Declaration | undefined {
    const symbol = ts.isShorthandPropertyAssignment(node.parent)
      ? this.checker.getShorthandAssignmentValueSymbol(node.parent)
      : this.checker.getSymbolAtLocation(node)
    const isAlias = symbol && symbol.flags & ts.SymbolFlags.Alias
    return (isAlias ? this.checker.getAliasedSymbol(symbol) : symbol)?.valueDeclaration
  }
}
