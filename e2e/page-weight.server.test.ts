import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import * as z from 'zod'

/*
 * How much JavaScript each page loads at the first visit, as served (Brotli). The files and their sizes come from the build, so they
 * are the same in each run. Code that is loaded on demand does not count: it would count here as soon as a page imported it.
 */

const build = join(import.meta.dirname, '..', '.next')
const pages = join(build, 'server', 'app')
const manifestName = 'page_client-reference-manifest.js'

/**
 * The most bytes of pages that many people open, and of those that need more than others. The target of all is 150,000; 113,000 of
 * them are Next.js and React. Pages above the target have their size of today, rounded up: lower the number after each improvement
 * (docs/performance.md).
 */
const budgets: Readonly<Record<string, number>> = {
  'sign-in': 143_000,
  '(site)/jobs': 187_000,
  '(site)/jobs/[id]': 231_000,
  '(site)/submit': 220_000,
  '(site)/cluster': 189_000,
  '(site)/docs': 174_000,
  '(site)/settings': 184_000,
  '(site)/jobs/compare': 185_000,
  'shared/[token]': 167_000,
  '(site)/projects/[id]': 176_000,
  'shared/results/[token]': 157_000,
}

/** The most bytes of every other page: too few for zod on most of them. */
const otherPages = 198_000

const rootSchema = z.object({ rootMainFiles: z.array(z.string()).min(1) })
const pageSchema = z.object({ entryJSFiles: z.record(z.string(), z.array(z.string())) })

/** The scripts that a page loads: those of Next.js, of its layouts and of its own client components. */
function scriptsOf(page: string): string[] {
  const { rootMainFiles } = rootSchema.parse(
    JSON.parse(readFileSync(join(build, 'build-manifest.json'), 'utf8')),
  )
  const file = readFileSync(join(pages, page, manifestName), 'utf8')
  const [, manifest = ''] = /\] = (\{.*\});?\s*$/s.exec(file) ?? []
  const { entryJSFiles } = pageSchema.parse(JSON.parse(manifest))
  return [...new Set([...rootMainFiles, ...Object.values(entryJSFiles).flat()])]
}

function weightOf(page: string): number {
  return scriptsOf(page).reduce((sum, script) => sum + statSync(join(build, `${script}.br`)).size, 0)
}

for (const [page, budget] of Object.entries(budgets)) {
  it(`the page ${page} loads at most ${budget} bytes of JavaScript`, () => {
    expect(weightOf(page)).toBeLessThanOrEqual(budget)
  })
}

it(`every other page loads at most ${otherPages} bytes of JavaScript`, () => {
  const others = readdirSync(pages, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(manifestName))
    .map((file) => dirname(file))
    .filter((page) => !(page in budgets))
  expect(others).toContain('(site)/admin/users')
  const weights = others.map((page) => [page, weightOf(page)] as const)
  expect(weights.filter(([, weight]) => weight > otherPages)).toEqual([])
})
