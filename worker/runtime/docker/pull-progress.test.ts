import { describe, expect, it } from 'vitest'
import { followPull } from './pull-progress'

async function* wire(...pieces: string[]) {
  for (const piece of pieces) yield Buffer.from(piece)
}

const layer = (id: string, status: string, current = 0, total = 0) =>
  `${JSON.stringify({ id, status, progressDetail: { current, total } })}\r\n`

describe('followPull', () => {
  it('reports progress over all layers, each percent once, for any chunking', async () => {
    const said: string[] = []
    const text =
      `${JSON.stringify({ status: 'Pulling from library/python', id: 'latest' })}\r\n` +
      layer('a', 'Pulling fs layer') +
      layer('a', 'Downloading', 10_000_000, 50_000_000) +
      layer('b', 'Downloading', 10_000_001, 50_000_000) +
      layer('b', 'Downloading', 10_000_002, 50_000_000) +
      layer('a', 'Download complete') +
      layer('b', 'Downloading', 25_000_000, 50_000_000) +
      JSON.stringify({ status: 'Status: Downloaded newer image' })
    const halves = [text.slice(0, 101), text.slice(101)]
    await followPull(wire(...halves), (line) => said.push(line))
    expect(said).toEqual([
      'Downloading: 20 % of 50 MB',
      'Downloading: 20 % of 100 MB',
      'Downloading: 75 % of 100 MB',
      'Status: Downloaded newer image',
    ])
  })

  it("fails with the engine's message, which follows an initial success response", async () => {
    const text = `${layer('a', 'Waiting')}${JSON.stringify({ error: 'toomanyrequests: slow down', errorDetail: {} })}\r\n`
    await expect(followPull(wire(text), () => {})).rejects.toThrow('toomanyrequests: slow down')
  })
})
