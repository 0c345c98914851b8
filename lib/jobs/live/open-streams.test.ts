import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { takeStream } from './open-streams'

const takeAll = (user: string) => Array.from({ length: 32 }, () => takeStream(user))

describe('the places for live streams', () => {
  it('are limited for each user, and for nobody else', () => {
    const [user, other] = [randomUUID(), randomUUID()]
    takeAll(user)
    expect(() => takeStream(user)).toThrow(/live pages/)
    expect(() => takeStream(other)).not.toThrow()
  })

  it('are given back once, however often one says so', () => {
    const user = randomUUID()
    const [first] = takeAll(user)
    first?.()
    first?.()
    takeStream(user)
    expect(() => takeStream(user)).toThrow(/live pages/)
  })
})
