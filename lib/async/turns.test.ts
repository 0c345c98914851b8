import { expect, it } from 'vitest'
import { Turns } from './turns'

const never = new AbortController().signal

it('go to one owner after the other, however many turns one of them asks for', async () => {
  const turns = new Turns()
  const order: string[] = []
  const ask = async (owner: string) => {
    await turns.next(owner, never)
    order.push(owner)
  }
  await Promise.all(['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(ask))
  expect(order.join('')).toBe('aabcaba')
})

it('come one at a time, and other work runs between them', async () => {
  const turns = new Turns()
  let others = 0
  const working = setInterval(() => others++, 0)
  const seen: number[] = []
  for (let turn = 0; turn < 5; turn++) {
    await turns.next('a', never)
    seen.push(others)
  }
  clearInterval(working)
  expect(new Set(seen).size).toBe(5)
})

it('are not for those who left while they waited', async () => {
  const turns = new Turns()
  const order: string[] = []
  const leaving = new AbortController()
  await turns.next('a', never)
  const left = turns.next('b', leaving.signal)
  const last = turns.next('c', never).then(() => order.push('c'))
  leaving.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  await last
  expect(order).toEqual(['c'])
})

it('last as long as what is done in them, also if that fails', async () => {
  const turns = new Turns()
  const events: string[] = []
  let end = () => {}
  const first = turns.run('a', never, () => new Promise<void>((resolve) => (end = resolve)))
  const second = turns.run('b', never, async () => {
    events.push('second')
    throw new Error('failed')
  })
  const third = turns.next('c', never).then(() => events.push('third'))
  await new Promise((resolve) => setImmediate(resolve))
  events.push('first ends')
  end()
  await first
  await expect(second).rejects.toThrow('failed')
  await third
  expect(events).toEqual(['first ends', 'second', 'third'])
})
