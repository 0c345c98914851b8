import type ts from 'typescript'
import { Unreadable } from './choices'

/** What an expression of the source is: a text, a list, or an object or a function with the scope where it was written. */
export type Value =
  | { kind: 'text'; text: string }
  | { kind: 'list'; items: Value[] }
  | { kind: 'code'; node: ts.ObjectLiteralExpression | ts.FunctionLikeDeclaration; scope: Scope }
  | { kind: 'none' }

/** The values of parameters, read when they are needed, and the types of type parameters. */
export interface Scope {
  values: ReadonlyMap<ts.ParameterDeclaration, (scope: Scope) => Value>
  types: ReadonlyMap<ts.TypeParameterDeclaration, ts.Type>
}

export const noScope: Scope = { values: new Map(), types: new Map() }

/** The names of `inner`, and those of `outer` that it does not have. */
export const within = (outer: Scope, inner: Scope): Scope => ({
  values: new Map([...outer.values, ...inner.values]),
  types: new Map([...outer.types, ...inner.types]),
})

/** An expression depends on a parameter, so its values are those at the calls of that function. */
export class NeedsCalls extends Error {
  constructor(readonly owner: ts.FunctionLikeDeclaration) {
    super('depends on a parameter')
  }
}

export const none: Value = { kind: 'none' }
export const toText = (text: string): Value => ({ kind: 'text', text })
/** A parameter of a statement. Its number is given later, because the number of values before it is not known. */
export const placeholder = '$?'

/** The text of a value: the elements of a list in one text, as in a template. */
export function joined(value: Value, separator: string): string {
  if (value.kind === 'text') return value.text
  if (value.kind === 'none') return ''
  return itemsOf(value)
    .map((item) => joined(item, ','))
    .join(separator)
}

/** The elements of a list. */
export function itemsOf(value: Value): Value[] {
  if (value.kind === 'list') return value.items
  if (value.kind === 'none') return []
  throw new Unreadable(value.kind === 'code' ? value.node : undefined)
}
