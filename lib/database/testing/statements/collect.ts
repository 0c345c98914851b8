import { relative } from 'node:path'
import ts from 'typescript'
import { Choices, Unreadable } from './choices'
import { Evaluator } from './evaluate'
import { Types } from './types'
import { NeedsCalls, noScope, placeholder, type Scope, type Value } from './values'

/** A statement of the source, with the type of its rows. */
export interface Statement {
  /** File and line of the call. */
  place: string
  text: string
  /** Undefined: the call names no type of rows. */
  row: ts.Type | undefined
}

export interface Collected {
  checker: ts.TypeChecker
  statements: Statement[]
  /** Calls whose text cannot be read from the source: file, function, type of rows and reason. */
  unreadable: { place: string; row: ts.Type | undefined; reason: string }[]
}

const mostCallers = 4

/** Collects every call of `query` of a PostgreSQL client in these files, with each text that it can send. */
export function collectStatements(files: readonly string[], root = process.cwd()): Collected {
  const { config } = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root)
  const program = ts.createProgram([...files], { ...options, incremental: false })
  const checker = program.getTypeChecker()
  const choices = new Choices()
  const types = new Types(checker, choices)
  const evaluator = new Evaluator(checker, types, choices)
  const wanted = new Set(files)
  const sources = program.getSourceFiles().filter(({ fileName }) => wanted.has(relative(root, fileName)))
  const calls = sources.flatMap(callsIn)
  const callers = groupByCallee(calls, types)
  const statements: Statement[] = []
  const unreadable: Collected['unreadable'] = []
  for (const call of calls) {
    const [query] = call.arguments
    if (query && isQuery(call, checker)) expand(call, query, noScope, call)
  }
  return { checker, statements, unreadable }

  /**
   * Evaluates the text of a call, and once for each call of the function around it where the text depends on that.
   * @param place the call that the statement belongs to: not that in `findRow`, but that of `findRow`
   */
  function expand(
    call: ts.CallExpression,
    query: ts.Expression,
    scope: Scope,
    place: ts.Node,
    depth = 0,
  ): void {
    try {
      const texts = new Set<string>()
      choices.everyRun(() => texts.add(textOf(evaluator.evaluate(query, scope), query)))
      const row = types.typeArgument(call, 0, scope)
      // What begins a transaction is several commands, which cannot be prepared together.
      for (const text of texts)
        for (const command of text.startsWith('BEGIN') ? text.split('; ') : [text])
          statements.push({ place: placeOf(place), text: numberParameters(command), row })
    } catch (error) {
      if (error instanceof NeedsCalls && depth < mostCallers) {
        const { owner } = error
        const isParameter =
          ts.isIdentifier(query) && owner.parameters.some(({ name }) => name.getText() === query.text)
        const around = callers.get(owner) ?? []
        if (around.length === 0)
          giveUp(call, scope, place, 'nothing calls the function around it by its name')
        for (const outer of around) {
          const inner = evaluator.bind(owner, outer, scope, noScope)
          expand(call, query, inner, isParameter ? outer : place, depth + 1)
        }
      } else if (error instanceof NeedsCalls || error instanceof Unreadable)
        giveUp(call, scope, place, error.message)
      else throw error
    }
  }

  function giveUp(call: ts.CallExpression, scope: Scope, place: ts.Node, reason: string): void {
    const row = types.typeArgument(call, 0, scope)
    unreadable.push({ place: `${fileOf(place)} ${functionOf(place)}`, row, reason })
  }

  function textOf(value: Value, query: ts.Node): string {
    return value.kind === 'text' ? value.text : textOf(evaluator.member(value, 'text', query), query)
  }
}

function callsIn(source: ts.SourceFile): ts.CallExpression[] {
  const found: ts.CallExpression[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) found.push(node)
    node.forEachChild(visit)
  }
  visit(source)
  return found
}

function groupByCallee(calls: ts.CallExpression[], types: Types): Map<ts.Node, ts.CallExpression[]> {
  const found = new Map<ts.Node, ts.CallExpression[]>()
  for (const call of calls) {
    const name = ts.isPropertyAccessExpression(call.expression) ? call.expression.name : call.expression
    if (!ts.isIdentifier(name)) continue
    const declaration = types.declarationOf(name)
    const callee =
      declaration && ts.isVariableDeclaration(declaration) ? declaration.initializer : declaration
    if (callee) found.set(callee, [...(found.get(callee) ?? []), call])
  }
  return found
}

function isQuery(call: ts.CallExpression, checker: ts.TypeChecker): boolean {
  const { expression } = call
  if (!ts.isPropertyAccessExpression(expression) || expression.name.text !== 'query') return false
  const declared = checker.getResolvedSignature(call)?.declaration?.getSourceFile().fileName
  return declared?.includes('@types/pg') ?? false
}

function numberParameters(text: string): string {
  const used = [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number))
  let last = Math.max(0, ...used)
  return text.split(placeholder).reduce((before, after) => `${before}$${++last}${after}`)
}

const fileOf = (node: ts.Node) => relative(process.cwd(), node.getSourceFile().fileName)

function placeOf(node: ts.Node): string {
  const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart())
  return `${fileOf(node)}:${line + 1}`
}

/** The name of the function around a call. */
function functionOf(node: ts.Node): string {
  for (let outer: ts.Node | undefined = node; outer; outer = outer.parent)
    if ((ts.isFunctionDeclaration(outer) || ts.isMethodDeclaration(outer)) && outer.name)
      return outer.name.getText()
  return ''
}
