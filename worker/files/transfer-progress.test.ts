import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { TransferProgress } from './transfer-progress'

const MiB = 1024 * 1024
let said: string[]
let progress: TransferProgress
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  said = []
  progress = new TransferProgress('restoring checkpoints', [{ bytes: 3 * MiB }, { bytes: MiB }], (text) =>
    said.push(text),
  )
})
afterEach(() => {
  vi.useRealTimers()
})

it('reports nothing if the transfer is fast', () => {
  progress.add(4 * MiB)
  progress.endFile()
  progress.endFile()
  progress.end()
  expect(said).toEqual([])
})

it('reports progress at intervals, and then completion', () => {
  vi.advanceTimersByTime(10_000)
  progress.add(MiB)
  progress.add(MiB)
  progress.endFile()
  vi.advanceTimersByTime(10_000)
  // Bytes that have to be read again do not count.
  progress.add(-MiB)
  progress.add(3 * MiB)
  progress.endFile()
  progress.end()
  expect(said).toEqual([
    'restoring checkpoints: 0 of 2 files, 1 of 4 MiB',
    'restoring checkpoints: 1 of 2 files, 1 of 4 MiB',
    'restoring checkpoints: 2 of 2 files, 4 of 4 MiB',
  ])
})
