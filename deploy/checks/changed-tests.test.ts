import { describe, expect, it } from 'vitest'
import { isNamedAfter } from './changed-tests'

describe('a test that starts programs', () => {
  it('belongs to a changed file in its folder', () => {
    const test = 'worker/runtime/network/overlay.docker.test.ts'
    expect(isNamedAfter(test, ['worker/runtime/network/networks.ts'])).toBe(true)
    expect(isNamedAfter(test, ['worker/runtime/output/frames.ts'])).toBe(false)
  })

  it('belongs to a changed file in a folder of its name', () => {
    expect(isNamedAfter('worker/snapshots.docker.test.ts', ['worker/snapshots/cache-room.ts'])).toBe(true)
    expect(isNamedAfter('e2e/terminal.spec.ts', ['components/terminal/screen.tsx'])).toBe(true)
    expect(isNamedAfter('e2e/terminal.spec.ts', ['components/jobs/list.tsx'])).toBe(false)
  })

  it('is its own change', () => {
    expect(isNamedAfter('e2e/users.spec.ts', ['e2e/users.spec.ts'])).toBe(true)
  })

  it('does not belong to other tests, to documents, or to files of a general folder', () => {
    expect(isNamedAfter('worker/lease.docker.test.ts', ['worker/index.ts'])).toBe(false)
    expect(isNamedAfter('worker/snapshots.docker.test.ts', ['worker/snapshots/cache.db.test.ts'])).toBe(false)
    expect(isNamedAfter('e2e/docs.spec.ts', ['docs/first-job.md'])).toBe(false)
  })
})

it('leaves unit and database tests to their imports', () => {
  expect(isNamedAfter('lib/results/a.test.ts', ['lib/results/b.ts'])).toBe(false)
})
