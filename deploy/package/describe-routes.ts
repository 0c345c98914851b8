import type { Operation } from '@/lib/contract/operations/operation'
import { operations } from '@/lib/contract/operations/operations'
import type { Route } from '@/lib/http/client/methods'

/** The formatter's limit (biome.json). */
const longestLine = 110

type Routes = Record<string, Record<string, Route>>

/** What the clients need to know of each operation (`lib/http/client/routes.ts`). */
export function describeRoutes(): Routes {
  return mapValues(operations, (group: Record<string, Operation>) => mapValues(group, toRoute))
}

/** The source text of `lib/http/client/routes.ts`. */
export function toSourceText(routes: Routes): string {
  const groups = Object.entries(routes).flatMap(([group, ofGroup]) => [
    `  ${group}: {`,
    ...Object.entries(ofGroup).flatMap(([name, route]) => toLines(name, route)),
    '  },',
  ])
  return [
    '/**',
    ' * How to call each operation of lib/contract/operations. `npm run docs` writes this file: browsers load it instead of the',
    ' * operations, because their schemas need zod.',
    ' */',
    'export const routes = {',
    ...groups,
    '} as const',
    '',
  ].join('\n')
}

/** As the formatter writes them. */
function toLines(name: string, route: Route): string[] {
  const entries = Object.entries(route).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? `'${value}'` : value}`,
  )
  const line = `    ${name}: { ${entries.join(', ')} },`
  if (line.length <= longestLine) return [line]
  return [`    ${name}: {`, ...entries.map((entry) => `      ${entry},`), '    },']
}

function toRoute({ method, path, body, bytes, query, responses }: Operation): Route {
  return {
    method,
    path,
    ...(body || bytes ? { body: true } : {}),
    ...(query ? { query: true } : {}),
    answer: answerOf(responses),
  }
}

function answerOf(responses: Operation['responses']): Route['answer'] {
  const described = Object.values(responses).find((response) => response.schema)
  if (described) return described.item ? 'page' : 'json'
  return responses[204] ? 'nothing' : 'stream'
}

function mapValues<Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}
