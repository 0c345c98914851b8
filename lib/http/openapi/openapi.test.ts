import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openapiDocument } from './openapi'
import { openapiOperations } from './operations'

/** Every method of every route handler, as `get /api/status/{id}`. next-auth's own are not gpuq's API. */
function routesOfApp(): string[] {
  const files = readdirSync('app', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('route.ts'),
  )
  return files
    .filter((file) => !file.includes('nextauth'))
    .flatMap((file) => {
      const path = `/${file.replace(/\/route\.ts$/, '').replace(/\[(\w+)\]/g, '{$1}')}`
      const source = readFileSync(join('app', file), 'utf8')
      return [...source.matchAll(/export const (GET|POST|PATCH|PUT|DELETE)\b/g)].map(
        ([, method]) => `${method?.toLowerCase()} ${path}`,
      )
    })
    .sort()
}

describe('the OpenAPI document', () => {
  it('tells of every route there is, and of no other', () => {
    expect(openapiOperations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(routesOfApp())
  })

  it('names the fields of requests and answers', () => {
    const text = JSON.stringify(openapiDocument('https://gpuq.example.org'))
    for (const word of [
      'expires_in_days',
      'reason_text',
      'Idempotency-Key',
      'competition_id',
      'config_file',
    ]) {
      expect(text).toContain(word)
    }
  })

  it('says which bodies may be left out: those that their route reads as such', () => {
    const optional = openapiOperations.filter(({ bodyOptional }) => bodyOptional)
    expect(optional.map(({ path }) => path)).toEqual(['/api/gpu/initialize'])
    const { paths } = openapiDocument('https://gpuq.example.org')
    const requiredOf = (path: string) =>
      z
        .object({ post: z.object({ requestBody: z.object({ required: z.boolean() }) }) })
        .parse((paths as Record<string, unknown>)[path]).post.requestBody.required
    expect(requiredOf('/api/gpu/initialize')).toBe(false)
    expect(requiredOf('/api/queue/submit')).toBe(true)
    expect(requiredOf('/api/submit')).toBe(true)
    const readers = readdirSync('app', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('route.ts'))
      .filter((file) => readFileSync(join('app', file), 'utf8').includes('readOptionalJson('))
    expect(readers).toEqual(['api/gpu/initialize/route.ts'])
  })
})
