import { expect, it } from 'vitest'
import type { JobDetail } from '@/lib/contract/jobs'
import { detail, fakeContext, jobId } from '../testing/fake-context'
import { JobLabels, PrefixedLines } from './prefixed-lines'

function open() {
  const { terminal, written } = fakeContext(() => new Response())
  const labels = new JobLabels()
  return { written, lines: () => new PrefixedLines(terminal, labels) }
}
const job = (changes: object = {}) => detail(changes) as unknown as JobDetail
const piece = (text: string, stream: 'stdout' | 'stderr' = 'stdout') => ({ stream, text, rank: null })

it('prints whole lines after the name of the job, each stream to its own', async () => {
  const { written, lines } = open()
  const own = lines()
  await own.started(job({ name: 'train.py' }))
  for (const text of ['one\ntw', 'o\n', 'rest']) await own.write(piece(text))
  await own.write(piece('bad\n', 'stderr'))
  expect(written).toEqual({ out: 'train.py | one\ntrain.py | two\n', err: 'train.py | bad\n' })
  await own.ended()
  expect(written.out).toBe('train.py | one\ntrain.py | two\ntrain.py | rest\n')
})

it('distinguishes two running jobs with one name', async () => {
  const { written, lines } = open()
  const [first, second, third] = [lines(), lines(), lines()]
  await first.started(job({ name: 'a.py' }))
  await second.started(job({ name: 'a.py', job_id: `${jobId.slice(0, -6)}abcdef` }))
  await first.write(piece('x\n'))
  await second.write(piece('y\n'))
  await first.ended()
  await third.started(job({ name: 'a.py', job_id: `${jobId.slice(0, -6)}fedcba` }))
  await third.write(piece('z\n'))
  expect(written.out).toBe('a.py | x\na.py (abcdef) | y\na.py | z\n')
})

it('shows the last state of a progress bar, and no control characters', async () => {
  const { written, lines } = open()
  const own = lines()
  await own.started(job({ name: 'a.py' }))
  await own.write(piece('10 %\r50 %\r100 %\r\n\u001b[31mred\u001b[0m\tx\u0007\n'))
  expect(written.out).toBe('a.py | 100 %\na.py | red    x \n')
})

it('shows the last state of two bars, and not each update', async () => {
  const { written, lines } = open()
  const own = lines()
  await own.started(job({ name: 'a.py' }))
  for (const epoch of [0, 1, 2]) {
    await own.write(piece(`\repoch ${epoch}`))
    for (const batch of [1, 2, 3]) await own.write(piece(`\n\rbatch ${batch}\u001b[A`))
  }
  expect(written.out).toBe('')
  await own.write(piece('\n\ndone\n'))
  expect(written.out).toBe('a.py | epoch 2\na.py | batch 3\n')
  await own.ended()
  expect(written.out).toBe('a.py | epoch 2\na.py | batch 3\na.py | done\n')
})

it('shows a very long line in pieces', async () => {
  const { written, lines } = open()
  const own = lines()
  await own.started(job({ name: 'a.py' }))
  await own.write(piece('x'.repeat(20_000)))
  expect(written.out).toHaveLength(20_000 + 'a.py | \n'.length)
})
