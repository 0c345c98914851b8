import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ModelTable } from '@/lib/contract/cluster/policy'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import { ModelsWatch, readModelTable } from './models-watch'
import { keepWarnings } from './testing/warnings'

let directory: string
let path: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-models-'))
  path = join(directory, 'llm_config.json')
})
afterEach(() => rm(directory, { recursive: true, force: true }))

/** A server with one table, and the messages that were printed. */
function watching() {
  const seen = {
    table: { default_requirement: 1, models: {} } as ModelTable,
    writes: 0,
    away: false,
  }
  const cluster = {
    models: async () => seen.table,
    replaceModels: async (table: ModelTable) => {
      if (seen.away) throw new ProblemError({ status: 503, code: 'unavailable', detail: 'Away.' })
      seen.table = table
      seen.writes += 1
    },
  } as unknown as Client['cluster']
  const { warned, log } = keepWarnings()
  return { seen, warned, watch: new ModelsWatch({ path, client: { cluster }, log }) }
}

const write = (models: object) => writeFile(path, JSON.stringify({ default_requirement: 1, models }))

it('uploads the table whenever it changes', async () => {
  const { seen, warned, watch } = watching()
  await watch.check()
  await write({ a: 0.5 })
  await watch.check()
  await watch.check()
  expect(seen).toMatchObject({ table: { models: { a: 0.5 } }, writes: 1 })
  expect(warned.text).toBe('')
  await write({ a: 0.5, b: 2 })
  await watch.check()
  expect(seen).toMatchObject({ table: { models: { a: 0.5, b: 2 } }, writes: 2 })
})

it('keeps the last valid table and reports each error once', async () => {
  const { seen, warned, watch } = watching()
  await write({ a: 0.5 })
  await watch.check()
  await writeFile(path, '{ "default_requirement"')
  await watch.check()
  await watch.check()
  await rm(path)
  await watch.check()
  expect(seen).toMatchObject({ table: { models: { a: 0.5 } }, writes: 1 })
  expect(warned.text.match(/ ignored: /g)).toHaveLength(1)
})

it('retries a server that was unavailable', async () => {
  const { seen, warned, watch } = watching()
  await write({ a: 0.5 })
  seen.away = true
  await watch.check()
  seen.away = false
  await watch.check()
  expect(seen.table).toMatchObject({ models: { a: 0.5 } })
  expect(warned.text).toContain('Away.')
})

it.each([
  ['[]', 'expected object'],
  ['{"default_requirement": 1, "models": {"m": 99}}', 'models.m'],
  ['{"default_requirement": 1, "model": {}}', 'model'],
  ['{"default_requirement": 1, "models": {"A": 1, "a": 1}}', 'twice'],
  ['\ufeffnot json', 'not valid JSON'],
])('explains what is wrong with %s', (text, message) => {
  expect(readModelTable(Buffer.from(text))).toEqual({ ok: false, message: expect.stringContaining(message) })
})
