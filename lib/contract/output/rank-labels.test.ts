import { expect, it } from 'vitest'
import { RankLabels } from './rank-labels'

const write = (...pieces: [number, string][]) => {
  const labels = new RankLabels()
  return pieces.map(([rank, text]) => labels.label(rank, text)).join('')
}

it('labels every line once, however it was cut', () => {
  expect(write([0, 'a\nb'], [0, 'c\n'], [1, 'x\n\ny\n'])).toBe(
    '[rank 0] a\n[rank 0] bc\n[rank 1] x\n[rank 1] \n[rank 1] y\n',
  )
  expect(write([3, 'no end'])).toBe('[rank 3] no end')
  expect(write([0, ''])).toBe('')
})

it('ends a line that another rank breaks off, and labels where it goes on', () => {
  expect(write([0, '10 %'], [1, 'x\n'], [0, ' 20 %\n'])).toBe('[rank 0] 10 %\n[rank 1] x\n[rank 0]  20 %\n')
})
