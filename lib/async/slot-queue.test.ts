import { describe, expect, it } from 'vitest'
import { SlotQueue } from './slot-queue'

const never = new AbortController().signal
const queue = (limits: Partial<ConstructorParameters<typeof SlotQueue>[0]> = {}) =>
  new SlotQueue({ perOwner: 2, inAll: 3, waitingPerOwner: 2, waitingInAll: 3, ...limits })

/** Enters, and writes the name down once it has a slot. */
function enterer(slots: SlotQueue) {
  const entered: string[] = []
  const enter = (owner: string, name = owner, signal = never) => {
    const slot = slots.enter(owner, signal)
    slot.then(
      (release) => release && entered.push(name),
      () => {},
    )
    return slot
  }
  return { entered, enter }
}

/** Everything that can happen without further events has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('slots', () => {
  it('are limited for each owner and in all, and pass on in order, past owners who have theirs', async () => {
    const { entered, enter } = enterer(queue())
    const [first, , other] = [enter('a', 'a1'), enter('a', 'a2'), enter('b', 'b1')]
    enter('a', 'a3')
    enter('c', 'c1')
    await settled()
    expect(entered).toEqual(['a1', 'a2', 'b1'])
    ;(await other)?.()
    await settled()
    expect(entered.slice(3)).toEqual(['c1'])
    ;(await first)?.()
    await settled()
    expect(entered.slice(4)).toEqual(['a3'])
  })

  it('refuse those for whom too many wait, of one owner and in all', async () => {
    const slots = queue()
    const { enter } = enterer(slots)
    for (const owner of ['a', 'a', 'b', 'a', 'a']) enter(owner)
    expect(await enter('a')).toBeNull()
    enter('c')
    expect(await enter('d')).toBeNull()
  })

  it('are not for those who left while they waited', async () => {
    const slots = queue({ inAll: 1 })
    const { entered, enter } = enterer(slots)
    const release = await enter('a')
    const leaving = new AbortController()
    const left = enter('b', 'b', leaving.signal)
    enter('c')
    leaving.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    release?.()
    await settled()
    expect(entered).toEqual(['a', 'c'])
    await expect(slots.enter('d', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  })

  it('are released once', async () => {
    const slots = queue({ inAll: 2 })
    const release = await slots.enter('a', never)
    await slots.enter('b', never)
    release?.()
    release?.()
    expect(slots.taken).toBe(1)
  })
})
