import { describe, expect, it } from 'vitest'
import { pauseAfter } from './node-actions'

const open = { paused: false, pauseReason: null }
const paused = { paused: true, pauseReason: 'new disks' }

describe('a request to pause or resume', () => {
  it('changes nothing if the state is already reached', () => {
    expect(pauseAfter(open, {})).toBeNull()
    expect(pauseAfter(open, { paused: false })).toBeNull()
    expect(pauseAfter(open, { paused: false, reason: 'done' })).toBeNull()
    expect(pauseAfter(paused, {})).toBeNull()
    expect(pauseAfter(paused, { paused: true })).toBeNull()
    expect(pauseAfter(paused, { paused: true, reason: 'new disks' })).toBeNull()
  })

  it('pauses with or without a reason, and resumes without one', () => {
    expect(pauseAfter(open, { paused: true })).toEqual({ paused: true, pauseReason: null })
    expect(pauseAfter(open, { paused: true, reason: 'new disks' })).toEqual(paused)
    expect(pauseAfter(paused, { paused: false, reason: 'done' })).toEqual(open)
  })

  it('changes the reason of an existing pause only', () => {
    const other = { paused: true, pauseReason: 'new fans' }
    expect(pauseAfter(paused, { reason: 'new fans' })).toEqual(other)
    expect(pauseAfter(paused, { paused: true, reason: 'new fans' })).toEqual(other)
    expect(() => pauseAfter(open, { reason: 'new fans' })).toThrow('requires "paused": true')
  })
})
