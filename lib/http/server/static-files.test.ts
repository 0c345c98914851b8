import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { StaticFiles } from './static-files'

let directory: string
let files: StaticFiles
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-static-'))
  for (const name of [
    'chunks/a.js',
    'chunks/a.js.br',
    'chunks/a.js.map',
    'media/font.woff2',
    'media/worker.ts',
  ]) {
    await mkdir(dirname(join(directory, name)), { recursive: true })
    await writeFile(join(directory, name), name)
  }
  files = await StaticFiles.load(directory)
})
afterAll(() => rm(directory, { recursive: true }))

it('are the scripts, styles and fonts of a build, not its source maps, sources or compressed copies', () => {
  const has = (name: string) => files.has(`/_next/static/${name}`)
  expect(['chunks/a.js', 'chunks/a.js?v=1', 'media/font.woff2'].filter(has)).toHaveLength(3)
  const others = [
    'chunks/a.js.map',
    'chunks/a.js.br',
    'media/worker.ts',
    'chunks/b.js',
    '',
    'chunks',
    '../BUILD_ID',
  ]
  expect(others.filter(has)).toEqual([])
})
