import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { routeTypesAreFresh } from './build.mjs'

it('generates the types of the routes again after a route was added, not after one was edited', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-route-types-'))
  const types = join(directory, '.next', 'types', 'validator.ts')
  const long = new Date(0)
  try {
    await mkdir(join(directory, 'app', 'jobs'), { recursive: true })
    await mkdir(join(directory, '.next', 'types'), { recursive: true })
    await writeFile(join(directory, 'app', 'jobs', 'page.tsx'), '')
    expect(routeTypesAreFresh(directory)).toBe(false)
    await writeFile(types, '')
    for (const path of ['app', 'app/jobs']) await utimes(join(directory, path), long, long)
    await writeFile(join(directory, 'app', 'jobs', 'page.tsx'), 'edited')
    expect(routeTypesAreFresh(directory)).toBe(true)
    await utimes(types, long, long)
    await writeFile(join(directory, 'app', 'jobs', 'route.ts'), '')
    expect(routeTypesAreFresh(directory)).toBe(false)
  } finally {
    await rm(directory, { recursive: true })
  }
})
