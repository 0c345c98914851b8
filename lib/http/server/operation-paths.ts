import type { Operation } from '../../contract/operations/operation'
import { allOperations } from '../../contract/operations/operations'

/** A path of the API. */
export interface OperationPath {
  /** As the contract writes it: `/api/jobs/{id}`. */
  template: string
  /** The methods of its operations, with those that follow from them: HEAD and OPTIONS. */
  methods: readonly string[]
}

/** A path as a client wrote it: its operations, and its parameters as they were sent. */
export interface MatchedPath extends OperationPath {
  params: Record<string, string>
}

interface Pattern extends OperationPath {
  expression: RegExp
  parameters: number
}

/** First the paths without parameters: `/api/users/me` is not `/api/users/{handle}`. */
const patterns = readPatterns()

function readPatterns(): Pattern[] {
  const byPath = new Map<string, string[]>()
  for (const { method, path } of allOperations)
    byPath.set(path, [...(byPath.get(path) ?? []), ...methodsOf(method)])
  const found = [...byPath].map(([template, methods]) => ({
    template,
    methods: [...methods, 'OPTIONS'],
    expression: new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
    parameters: template.split('{').length - 1,
  }))
  return found.sort((a, b) => a.parameters - b.parameters)
}

function methodsOf(method: Operation['method']): string[] {
  return method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]
}

/** Finds the path of the API that a request asks for; undefined: no operation has it. @param path without the query. */
export function findOperationPath(path: string): MatchedPath | undefined {
  for (const { expression, template, methods } of patterns) {
    const match = expression.exec(path)
    if (match) return { template, methods, params: { ...match.groups } }
  }
  return undefined
}
