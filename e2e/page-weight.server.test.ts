import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as z from 'zod'

/*
 * How much JavaScript each page loads at the first visit, as served (Brotli). The files and their sizes come from the build, so they
 * are the same in each run. Code that is loaded on demand does not count: it would count here as soon as a page imported it.
 */

const build = join(import.meta.dirname, '..', '.next')

/**
 * The most bytes of each page. The target of all is 150,000; 113,000 of them are Next.js and React. Pages above the target have
 * their size of today, rounded up: lower the number after each improvement (docs/performance.md).
 */
const budgets: Readonly<Record<string, number>> = {
  'sign-in': 143_000,
  '(site)/jobs': 187_000,
  '(site)/jobs/[id]': 231_000,
  '(site)/submit': 220_000,
  '(site)/cluster': 189_000,
  '(site)/docs': 174_000,
  '(site)/settings': 184_000,
  '(site)/jobs/compare': 183_000,
  'shared/[token]': 167_000,
  '(site)/projects/[id]': 174_000,
  'shared/results/[token]': 156_000,
}

const rootSchema = z.object({ rootMainFiles: z.array(z.string()).min(1) })
const pageSchema = z.object({ entryJSFiles: z.record(z.string(), z.array(z.string())) })

/** The scripts that a page loads: those of Next.js, of its layouts and of its own client components. */
function scriptsOf(page: string): string[] {
  const { rootMainFiles } = rootSchema.parse(
    JSON.parse(readFileSync(join(build, 'build-manifest.json'), 'utf8')),
  )
  const file = join(build, 'server', 'app', page, 'page_client-reference-manifest.js')
  const [, manifest = ''] = /\] = (\{.*\});?\s*$/s.exec(readFileSync(file, 'utf8')) ?? []
  const { entryJSFiles } = pageSchema.parse(JSON.parse(manifest))
  return [...new Set([...rootMainFiles, ...Object.values(entryJSFiles).flat()])]
}

for (const [page, budget] of Object.entries(budgets)) {
  it(`the page ${page} loads at most ${budget} bytes of JavaScript`, () => {
    const sizes = scriptsOf(page).map((script) => statSync(join(build, `${script}.br`)).size)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(budget)
  })
}
