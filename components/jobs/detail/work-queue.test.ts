import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createWorkQueue } from './work-queue'

describe('createWorkQueue', () => {
  it('runs tasks in order, and ends a slice when its time is over', async () => {
    let clock = 0
    const done: number[] = []
    const turns = new Set<number>()
    const queue = createWorkQueue(() => clock)
    for (let piece = 0; piece < 10; piece++) {
      queue.push(() => {
        clock += 3
        done.push(piece)
        // Runs when the turn is over.
        queueMicrotask(() => turns.add(done.length))
      })
    }
    expect(done).toEqual([])
    while (turns.size < 4) await sleep(0)
    expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect([...turns]).toEqual([3, 6, 9, 10])
    queue.close()
  })

  it('runs tasks that were added by tasks, after earlier ones', async () => {
    const done: string[] = []
    const queue = createWorkQueue()
    queue.push(() => {
      queue.push(() => done.push('brought'))
      done.push('first')
    })
    queue.push(() => done.push('second'))
    while (done.length < 3) await sleep(0)
    expect(done).toEqual(['first', 'second', 'brought'])
    queue.close()
  })

  it('drops the remaining tasks when it is closed, even by a task', async () => {
    const done: string[] = []
    const queue = createWorkQueue()
    queue.push(() => {
      done.push('first')
      queue.close()
      queue.push(() => done.push('late'))
    })
    queue.push(() => done.push('forgotten'))
    while (done.length === 0) await sleep(0)
    // Tasks of a later queue run after all remaining tasks of this one.
    const later = createWorkQueue()
    later.push(() => later.push(() => done.push('later')))
    while (done.length < 2) await sleep(0)
    later.close()
    expect(done).toEqual(['first', 'later'])
  })
})
