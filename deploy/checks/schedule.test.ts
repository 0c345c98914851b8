import { expect, it } from 'vitest'
import { runScheduled } from './schedule'

/** Checks that end on request, and the names of those that have started. */
function controlled(names: Record<string, string[]>) {
  const started: string[] = []
  const ends = new Map<string, { resolve: (value: string) => void; reject: (error: Error) => void }>()
  const checks = Object.entries(names).map(([name, after]) => ({
    name,
    after,
    run: () => {
      started.push(name)
      return new Promise<string>((resolve, reject) => ends.set(name, { resolve, reject }))
    },
  }))
  return {
    checks,
    started,
    end: async (name: string) => {
      ends.get(name)?.resolve(name)
      await Promise.resolve()
    },
    fail: (name: string) => ends.get(name)?.reject(new Error(name)),
  }
}

const turns = async () => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
}

it('fills its places in the order of the list, and returns the results in that order', async () => {
  const { checks, started, end } = controlled({ a: [], b: [], c: [] })
  const all = runScheduled(checks, new Map(), 2)
  await turns()
  expect(started).toEqual(['a', 'b'])
  await end('b')
  await turns()
  expect(started).toEqual(['a', 'b', 'c'])
  await end('c')
  await end('a')
  expect(await all).toEqual(['a', 'b', 'c'])
})

it('starts a check when its prerequisites have ended, and other checks earlier', async () => {
  const { checks, started, end } = controlled({
    docker: ['image'],
    build: ['lint'],
    lint: [],
    'not here': ['gone'],
  })
  let ready = () => {}
  const image = new Promise<void>((_, reject) => {
    ready = () => reject(new Error('could not be made'))
  })
  const all = runScheduled(checks, new Map([['image', image]]), 2)
  await turns()
  expect(started).toEqual(['lint', 'not here'])
  await end('lint')
  await turns()
  expect(started).toEqual(['lint', 'not here', 'build'])
  await end('build')
  ready()
  await turns()
  expect(started).toEqual(['lint', 'not here', 'build', 'docker'])
  await end('docker')
  await end('not here')
  expect(await all).toHaveLength(4)
})

it('starts no more checks after one was interrupted, and waits for the running ones', async () => {
  const { checks, started, end, fail } = controlled({ a: [], b: [], c: [] })
  const all = runScheduled(checks, new Map(), 2)
  await turns()
  fail('a')
  await turns()
  await end('b')
  await expect(all).rejects.toThrow('a')
  expect(started).toEqual(['a', 'b'])
})
