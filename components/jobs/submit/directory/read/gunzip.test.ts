import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { gunzip } from './gunzip'
import { BrowserDecompression } from './testing/browser-gunzip'

async function unzipped(packed: Buffer): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of gunzip(new Blob([new Uint8Array(packed)]))) pieces.push(piece)
  return Buffer.concat(pieces).toString('latin1')
}

describe('a gzip file on the page', () => {
  beforeEach(() => vi.stubGlobal('DecompressionStream', BrowserDecompression))
  afterEach(() => vi.unstubAllGlobals())

  it('may have several members, also empty ones', async () => {
    const members = ['one', '', 'x'.repeat(100_000), 'end']
    expect(await unzipped(Buffer.concat(members.map((text) => gzipSync(text))))).toBe(members.join(''))
  })

  it('may have the mark of a member in its content', async () => {
    const content = Buffer.concat([gzipSync('inner'), gzipSync('inner')])
    const packed = Buffer.concat([gzipSync(content, { level: 0 }), gzipSync('end')])
    expect(await unzipped(packed)).toBe(`${content.toString('latin1')}end`)
  })

  it('is damaged if its end is missing or something else follows', async () => {
    const packed = gzipSync('text')
    for (const damaged of [packed.subarray(0, -3), Buffer.concat([packed, packed.subarray(0, 12)])])
      await expect(unzipped(damaged)).rejects.toThrow()
  })
})
