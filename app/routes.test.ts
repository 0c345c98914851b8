import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allOperations } from '@/lib/contract/operations/operations'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Every method of every route file with its operation. The routes of next-auth are not part of gpuq's API. */
async function readRoutes(): Promise<[route: string, operation: unknown][]> {
  const files = readdirSync('app', { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('route.ts') && !file.includes('[...'),
  )
  const routes = files.map(async (file) => {
    const exported: Record<string, { operation?: unknown }> = await import(
      /* @vite-ignore */ join(process.cwd(), 'app', file)
    )
    const path = `/${file.replace(/\/route\.ts$/, '').replace(/\[(\w+)\]/g, '{$1}')}`
    return methods.flatMap((method): [string, unknown][] =>
      exported[method] ? [[`${method.toLowerCase()} ${path}`, exported[method].operation]] : [],
    )
  })
  return (await Promise.all(routes)).flat()
}

it('routes serve exactly the operations of the API, each at its own path', async () => {
  const routes = new Map(await readRoutes())
  const operations = allOperations.map(({ method, path }) => `${method} ${path}`)
  expect([...routes.keys()].sort()).toEqual(operations.sort())
  for (const operation of allOperations) {
    expect(routes.get(`${operation.method} ${operation.path}`)).toBe(operation)
  }
})
