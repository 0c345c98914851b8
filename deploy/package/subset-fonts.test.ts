import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { subsetOf, subsets } from './subset-fonts'

it.each(subsets)('$file is what `npm run fonts` makes of the package geist', async (subset) => {
  const stored = await readFile(join(import.meta.dirname, '..', '..', 'app', 'fonts', subset.file))
  expect(stored.equals(await subsetOf(subset))).toBe(true)
})
