import ts from 'typescript'
import { type Choices, Unreadable } from './choices'
import { keyOf, returnsOf } from './syntax'
import type { Types } from './types'
import { itemsOf, joined, NeedsCalls, none, type Scope, toText, type Value, within } from './values'

/**
 * Evaluates the texts of statements from the source alone. An expression with several possible values takes the one
 * that `choices` says.
 */
export class Evaluator {
  constructor(
    private readonly checker: ts.TypeChecker,
    private readonly types: Types,
    private readonly choices: Choices,
  ) {}

  /** @throws NeedsCalls or Unreadable */
  evaluate(node: ts.Expression, scope: Scope): Value {
    if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return toText(node.text)
    if (ts.isTemplateExpression(node)) return this.#template(node, scope)
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node))
      return this.evaluate(node.expression, scope)
    if (this.types.has(node, ts.TypeFlags.BooleanLike))
      return toText(this.choices.choose(keyOf(node), 2) === 0 ? 'true' : 'false')
    if (ts.isBinaryExpression(node)) return this.#binary(node, scope)
    if (ts.isConditionalExpression(node)) {
      const isTrue = this.choices.choose(keyOf(node.condition), 2) === 0
      return this.evaluate(isTrue ? node.whenTrue : node.whenFalse, scope)
    }
    if (ts.isIdentifier(node)) return this.#identifier(node, scope)
    if (ts.isArrayLiteralExpression(node)) {
      const items = node.elements.flatMap((element) =>
        ts.isSpreadElement(element)
          ? itemsOf(this.evaluate(element.expression, scope))
          : this.evaluate(element, scope),
      )
      return { kind: 'list', items }
    }
    if (ts.isObjectLiteralExpression(node) || ts.isArrowFunction(node) || ts.isFunctionExpression(node))
      return { kind: 'code', node, scope }
    if (ts.isPropertyAccessExpression(node)) return this.#property(node, scope)
    if (ts.isElementAccessExpression(node))
      return this.#orByType(node, () => {
        const whole = this.evaluate(node.expression, scope)
        return this.#oneOf(keyOf(node), whole.kind === 'code' ? this.#elements(whole, 'values') : whole)
      })
    if (ts.isCallExpression(node)) return this.#call(node, scope)
    return this.#byType(node)
  }

  /** The text of an expression. */
  text(node: ts.Expression, scope: Scope): string {
    return joined(this.evaluate(node, scope), ',')
  }

  #template(node: ts.TemplateExpression, scope: Scope): Value {
    let text = node.head.text
    for (const { expression, literal } of node.templateSpans) {
      const part = text.endsWith('$') && this.types.isNumber(expression) ? '?' : this.text(expression, scope)
      text += part + literal.text
    }
    return toText(text)
  }

  #binary(node: ts.BinaryExpression, scope: Scope): Value {
    const { kind } = node.operatorToken
    if (kind === ts.SyntaxKind.PlusToken && !this.types.isNumber(node))
      return toText(this.text(node.left, scope) + this.text(node.right, scope))
    if (kind === ts.SyntaxKind.AmpersandAmpersandToken) return this.evaluate(node.right, scope)
    if (kind !== ts.SyntaxKind.QuestionQuestionToken && kind !== ts.SyntaxKind.BarBarToken)
      return this.#byType(node)
    const isLeft = this.choices.choose(keyOf(node), 2) === 0
    const [left] = isLeft ? this.#ifReadable(() => this.evaluate(node.left, scope)) : []
    return left && left.kind !== 'none' ? left : this.evaluate(node.right, scope)
  }

  #identifier(node: ts.Identifier, scope: Scope): Value {
    if (node.text === 'undefined') return none
    const declaration = this.types.declarationOf(node)
    if (!declaration) return this.#byType(node)
    if (ts.isParameter(declaration)) return this.#parameter(declaration, node, scope)
    if (ts.isBindingElement(declaration))
      return this.#orByType(node, () => this.#binding(declaration, node, scope))
    if (ts.isFunctionDeclaration(declaration)) return { kind: 'code', node: declaration, scope }
    if (!ts.isVariableDeclaration(declaration)) return this.#byType(node)
    const { initializer, parent } = declaration
    if (initializer && parent.flags & ts.NodeFlags.Const)
      return this.#orByType(node, () => this.evaluate(initializer, scope))
    if (!ts.isForOfStatement(parent.parent)) return this.#byType(node)
    const { expression } = parent.parent
    return this.#orByType(node, () => this.#oneOf(keyOf(expression), this.evaluate(expression, scope)))
  }

  #parameter(declaration: ts.ParameterDeclaration, node: ts.Expression, scope: Scope): Value {
    const bound = scope.values.get(declaration)
    if (bound) return bound(scope)
    const known = this.types.literal(node)
    if (known) return known
    throw new NeedsCalls(declaration.parent as ts.FunctionLikeDeclaration)
  }

  /** A name from a pattern: `{ table }` or `[table]`. */
  #binding(declaration: ts.BindingElement, node: ts.Expression, scope: Scope): Value {
    const pattern = declaration.parent
    const owner = pattern.parent
    let whole: Value
    if (ts.isParameter(owner)) whole = this.#parameter(owner, node, scope)
    else if (ts.isVariableDeclaration(owner) && owner.initializer)
      whole = this.evaluate(owner.initializer, scope)
    else throw new Unreadable(node)
    if (ts.isArrayBindingPattern(pattern))
      return itemsOf(whole)[pattern.elements.indexOf(declaration)] ?? none
    return this.member(whole, (declaration.propertyName ?? declaration.name).getText(), node)
  }

  #property(node: ts.PropertyAccessExpression, scope: Scope): Value {
    const known = this.types.literal(node)
    if (known) return known
    return this.member(this.evaluate(node.expression, scope), node.name.text, node)
  }

  /** One property of an object of the source. */
  member(object: Value, name: string, asked: ts.Node): Value {
    if (object.kind !== 'code' || !ts.isObjectLiteralExpression(object.node)) throw new Unreadable(asked)
    for (const property of [...object.node.properties].reverse()) {
      if (ts.isSpreadAssignment(property)) {
        const { expression } = property
        const [found] = this.#ifReadable(() =>
          this.member(this.evaluate(expression, object.scope), name, asked),
        )
        if (found) return found
      }
      if (property.name?.getText().replaceAll(/['"]/g, '') !== name) continue
      if (ts.isPropertyAssignment(property)) return this.evaluate(property.initializer, object.scope)
      if (ts.isShorthandPropertyAssignment(property)) return this.evaluate(property.name, object.scope)
      if (ts.isMethodDeclaration(property)) return { kind: 'code', node: property, scope: object.scope }
    }
    throw new Unreadable(asked)
  }

  #call(node: ts.CallExpression, scope: Scope): Value {
    const { expression: callee } = node
    if (callee.getText() === 'JSON.stringify') return toText('{}')
    const result = ts.isPropertyAccessExpression(callee) && this.#method(node, callee, scope)
    if (result) return result
    return this.#orByType(node, () => {
      const fn = this.evaluate(callee, scope)
      if (fn.kind !== 'code' || ts.isObjectLiteralExpression(fn.node)) throw new Unreadable(node)
      return this.#invoke(fn.node, this.bind(fn.node, node, within(scope, fn.scope), scope))
    })
  }

  /** Adds the arguments of a call to a scope, as values of the function's parameters. */
  bind(fn: ts.FunctionLikeDeclaration, call: ts.CallExpression, inner: Scope, around: Scope): Scope {
    const values = new Map(inner.values)
    fn.parameters.forEach((parameter, index) => {
      const given = call.arguments[index] ?? parameter.initializer
      values.set(parameter, (scope) => (given ? this.evaluate(given, within(scope, around)) : none))
    })
    const types = new Map(inner.types)
    fn.typeParameters?.forEach((parameter, index) => {
      const given = this.types.typeArgument(call, index, around)
      if (given) types.set(parameter, given)
    })
    return { values, types }
  }

  /** What a function returns. */
  #invoke(fn: ts.FunctionLikeDeclaration, scope: Scope): Value {
    const results = returnsOf(fn)
    const result = results[this.choices.choose(keyOf(fn), results.length)]
    if (!result) throw new Unreadable(fn)
    return this.evaluate(result, scope)
  }

  /** Methods of lists and texts. */
  #method(node: ts.CallExpression, callee: ts.PropertyAccessExpression, scope: Scope): Value | undefined {
    const name = callee.name.text
    const [first] = node.arguments
    const self = () => this.evaluate(callee.expression, scope)
    if (callee.expression.getText() === 'Object' && first)
      return this.#elements(this.evaluate(first, scope), name)
    if (name === 'join') return toText(joined(self(), first ? this.text(first, scope) : ','))
    if (['filter', 'slice', 'sort', 'toSorted', 'trim'].includes(name)) return self()
    if ((name !== 'map' && name !== 'flatMap') || !first) return undefined
    const fn = this.evaluate(first, scope)
    if (fn.kind !== 'code' || ts.isObjectLiteralExpression(fn.node)) throw new Unreadable(node)
    const { node: body, scope: around } = fn
    const items = itemsOf(self()).map((item) => {
      const values = new Map(within(scope, around).values)
      const [parameter] = body.parameters
      if (parameter) values.set(parameter, () => item)
      return this.#invoke(body, { ...scope, values })
    })
    return {
      kind: 'list',
      items: name === 'map' ? items : items.flatMap((item) => (item.kind === 'list' ? item.items : item)),
    }
  }

  /** The keys, values or entries of an object. What it spreads is known by its type. */
  #elements(object: Value, part: string): Value {
    if (object.kind !== 'code' || !ts.isObjectLiteralExpression(object.node))
      return { kind: 'list', items: [] }
    const { node } = object
    const items = this.checker
      .getTypeAtLocation(node)
      .getProperties()
      .map(({ name }): Value => {
        if (part === 'keys') return toText(name)
        const [value = none] = this.#ifReadable(() => this.member(object, name, node))
        return part === 'values' ? value : { kind: 'list', items: [toText(name), value] }
      })
    return { kind: 'list', items }
  }

  #oneOf(key: string, whole: Value): Value {
    const items = itemsOf(whole)
    return items[this.choices.choose(key, items.length)] ?? none
  }

  #ifReadable(read: () => Value): [Value] | [] {
    try {
      return [read()]
    } catch (error) {
      if (error instanceof Unreadable || error instanceof NeedsCalls) return []
      throw error
    }
  }

  #orByType(node: ts.Expression, read: () => Value): Value {
    try {
      return read()
    } catch (error) {
      const known = error instanceof Unreadable ? this.types.literal(node) : undefined
      if (known) return known
      throw error
    }
  }

  #byType(node: ts.Expression): Value {
    const known = this.types.literal(node)
    if (known) return known
    throw new Unreadable(node)
  }
}
