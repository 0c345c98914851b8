import { expect, it } from 'vitest'
import { describeUpload } from './upload-status'

const MiB = 1024 * 1024
const upload = { phase: 'sending', doneBytes: 30 * MiB, totalBytes: 120 * MiB, problem: null } as const

it('says how much is done, how fast, and how long it takes', () => {
  expect(describeUpload({ ...upload, speed: 10 * MiB })).toBe('30 MiB of 120 MiB, 10 MiB/s, 9 s left')
  expect(describeUpload({ ...upload, speed: 0.5 * MiB })).toBe('30 MiB of 120 MiB, 512 KiB/s, 3 min left')
})

it('says no speed that is unknown or out of date', () => {
  expect(describeUpload({ ...upload, speed: null })).toBe('30 MiB of 120 MiB')
  expect(describeUpload({ ...upload, phase: 'waiting', speed: 10 * MiB })).toBe('30 MiB of 120 MiB')
})
