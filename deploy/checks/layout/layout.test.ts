import { expect, it } from 'vitest'
import { features } from '@/lib/features'
import { describeLayout, listFiles } from './layout'

const names = Object.keys(features)
const file = (path: string, lines = 10) => ({ path, lines })

it('each feature has one name, and one folder of that name below each top-level folder', async () => {
  const layout = describeLayout(await listFiles(), names)
  expect(layout.problems).toEqual([])
  expect(layout.code.files).toBeGreaterThan(1000)
  expect(
    names.every((name) => layout.features.some((feature) => feature.name === name && feature.lines > 0)),
  ).toBe(true)
})

it('the layout refuses a second folder, an unknown folder, and a feature without one', () => {
  const files = [
    file('lib/accounting/count-days.ts'),
    file('lib/jobs/accounting/rows.ts'),
    file('worker/bills/count.ts'),
    file('lib/jobs/read/list.ts'),
  ]
  expect(describeLayout(files, ['accounting', 'docs']).problems).toEqual([
    'lib/features.ts names docs, which has no folder.',
    'lib/jobs/accounting has the name of a feature. Move it to lib/accounting, or rename it.',
    'worker/bills is neither a feature of lib/features.ts nor a folder of the kernel (deploy/checks/layout/layout.ts).',
  ])
})

it('the layout counts code outside tests, and tests, SQL, Python and generated code beside it', () => {
  const layout = describeLayout(
    [
      file('lib/accounting/count-days.ts', 30),
      file('components/accounting/view.tsx', 20),
      file('lib/accounting/count-days.db.test.ts', 5),
      file('lib/jobs/testing/rows.ts', 6),
      file('lib/http/client/routes.ts', 7),
      file('prisma/migrations/1_first/migration.sql', 8),
      file('cli/python/gpuq.py', 9),
    ],
    ['accounting'],
  )
  expect(layout.code).toEqual({ files: 2, lines: 50 })
  expect(layout.features).toEqual([
    { name: 'accounting', folders: ['lib/accounting', 'components/accounting'], files: 2, lines: 50 },
  ])
  expect(layout.beside).toEqual({ tests: 11, SQL: 8, Python: 9, generated: 7 })
})
