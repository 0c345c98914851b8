import { describe, expect, it } from 'vitest'
import { overwrite } from './carriage-return'

const esc = '\u001B'

describe('overwrite', () => {
  it.each([
    ['a line without returns', 'plain', 'plain'],
    ['a progress bar', '10%\r20%\r30%', '30%'],
    ['a return at the end, for what may follow', '10%\r20%\r', '20%\r'],
    ['the ending of a DOS line', 'done\r', 'done\r'],
    ['nothing but a return', '\r', '\r'],
    ['colours after the last return, which write nothing', `50%\r${esc}[0m`, `50%${esc}[0m`],
    ['a line erased after the return', `50%\r${esc}[K`, `${esc}[K`],
    ['colours from before the return', `${esc}[32m10%\r20%`, `${esc}[32m20%`],
    ['only the colours since the last reset', `${esc}[31mx${esc}[0m${esc}[1my\rz`, `${esc}[0m${esc}[1mz`],
  ])('%s', (_, line, left) => {
    expect(overwrite(line)).toBe(left)
  })
})
