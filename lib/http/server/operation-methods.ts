import { allOperations } from '../../contract/operations/operations'

interface Served {
  pattern: RegExp
  parameters: number
  methods: string[]
}

/** The methods of each path, first the paths without parameters: `/api/users/me` is not `/api/users/{handle}`. */
const served = readPaths()

function readPaths(): Served[] {
  const byPath = new Map<string, string[]>()
  for (const { method, path } of allOperations) {
    const methods = method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]
    byPath.set(path, [...(byPath.get(path) ?? []), ...methods])
  }
  const paths = [...byPath].map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    parameters: path.split('{').length - 1,
    methods: [...methods, 'OPTIONS'],
  }))
  return paths.sort((a, b) => a.parameters - b.parameters)
}

/** The methods of the operations that have a path. Undefined: no operation has it. */
export function operationMethods(path: string): readonly string[] | undefined {
  return served.find(({ pattern }) => pattern.test(path))?.methods
}
