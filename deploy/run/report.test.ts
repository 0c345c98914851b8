import { describe, expect, it } from 'vitest'
import { createReport, cutToWidth, formatBytes, formatDuration } from './report.mjs'

function screen(isTTY: boolean) {
  const written: string[] = []
  return { written, out: { isTTY, columns: 40, write: (text: string) => written.push(text) } }
}

describe('durations and sizes', () => {
  it.each([
    [40, '0.0 s'],
    [1234, '1.2 s'],
    [59_400, '59 s'],
    [61_000, '1 min 1 s'],
    [3_600_000, '60 min 0 s'],
  ])('%d ms reads %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

  it.each([
    [999, '1 kB'],
    [262e6, '262 MB'],
    [1.31e9, '1.31 GB'],
  ])('%d bytes read %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

  it('cuts a line to the width of the terminal', () => {
    expect(cutToWidth('short', 10)).toBe('short')
    expect(cutToWidth('a line that is too long', 10)).toBe('a line th…')
  })
})

describe('a step', () => {
  it('prints a finished step with its detail and returns its value', async () => {
    const { out, written } = screen(false)
    const report = createReport({ out, now: () => 0 })
    const value = await report.step(
      'Docker engine',
      async () => 42,
      (n) => `version ${n}`,
    )
    expect(value).toBe(42)
    expect(written).toEqual(['  ✓ Docker engine: version 42  0.0 s\n'])
  })

  it('prints a failed step and rethrows the error', async () => {
    const { out, written } = screen(false)
    const report = createReport({ out, now: () => 0 })
    const failing = report.step('Packages', async () => {
      throw new Error('no network')
    })
    await expect(failing).rejects.toThrow('no network')
    expect(written).toEqual(['  ✗ Packages  0.0 s\n'])
  })

  it('distinguishes failed results from good ones', async () => {
    const { out, written } = screen(false)
    const report = createReport({ out, now: () => 0 })
    await report.step(
      'unit',
      async () => 3,
      (failed) => `${failed} failed`,
      (failed) => failed === 0,
    )
    expect(written).toEqual(['  ✗ unit: 3 failed  0.0 s\n'])
  })

  it('writes no control sequences to a pipe', async () => {
    const { out, written } = screen(false)
    const report = createReport({ out, now: () => 0 })
    await report.step('Packages', async (progress) => progress('half way'))
    report.warn('careful')
    expect(written.join('')).not.toContain('\u001b')
  })
})
