import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** A name with its text: `name: 'read-jobs', text: …`, with comments between the two. */
const named = /\bname: (['`])(?<name>[^'`\n]+)\1,\s*(?:\/\/[^\n]*\s*)*text\b/g

// A connection refuses a second statement with the same name, so which of the two fails depends on the connection.
it('no two prepared statements have the same name', () => {
  const files = ['app', 'lib', 'worker', 'deploy']
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  const places = new Map<string, string[]>()
  for (const file of files) {
    for (const { groups } of readFileSync(file, 'utf8').matchAll(named)) {
      const name = groups?.name ?? ''
      places.set(name, [...(places.get(name) ?? []), file])
    }
  }
  expect(places.size).toBeGreaterThan(100)
  expect([...places].filter(([, found]) => found.length > 1)).toEqual([])
})
