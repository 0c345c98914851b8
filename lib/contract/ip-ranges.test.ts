import { describe, expect, it } from 'vitest'
import { readRanges } from './ip-ranges'

describe('readRanges', () => {
  it('reads a list with commas or spaces', () => {
    expect(readRanges('10.1.0.0/16, 10.2.0.7/32')).toEqual(['10.1.0.0/16', '10.2.0.7/32'])
    expect(readRanges('10.1.0.0/16 192.168.4.0/24')).toEqual(['10.1.0.0/16', '192.168.4.0/24'])
  })

  it.each(['10.1.0.0', 'fd00::/8', '10.1.2.3/16', '0.0.0.0/0', '10.0.0.0/33', '10.0.0.0/8;reboot'])(
    'refuses %s with a sentence',
    (text) => expect(() => readRanges(text)).toThrow(/^must be/),
  )
})
