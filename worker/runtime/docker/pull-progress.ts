import { z } from 'zod'
import { readJsonLines } from './json-lines'

const messageSchema = z.object({
  id: z.string().optional(),
  status: z.string().optional(),
  error: z.string().optional(),
  progressDetail: z.object({ current: z.number().optional(), total: z.number().optional() }).optional(),
})

/**
 * Follows a pull to its end, and reports each downloaded percent. Throws the engine's message if the pull fails: the
 * engine responds with 200 first and reports errors later in the stream.
 */
export async function followPull(
  stream: AsyncIterable<Uint8Array | string>,
  onProgress: (line: string) => void,
): Promise<void> {
  const layers = new Map<string, { current: number; total: number }>()
  let said = ''
  const report = (line: string) => {
    if (line !== said) onProgress(line)
    said = line
  }
  for await (const value of readJsonLines(stream)) {
    const message = messageSchema.parse(value)
    if (message.error !== undefined) throw new Error(message.error)
    const { id = '', status = '', progressDetail: { current = 0, total = 0 } = {} } = message
    if (status === 'Downloading' && total > 0) {
      layers.set(id, { current, total })
      report(describeDownload([...layers.values()]))
    } else if (status === 'Download complete') {
      const layer = layers.get(id)
      if (layer !== undefined) layer.current = layer.total
    } else if (id === '' && status !== '') report(status)
  }
}

function describeDownload(layers: { current: number; total: number }[]): string {
  const current = layers.reduce((sum, layer) => sum + layer.current, 0)
  const total = layers.reduce((sum, layer) => sum + layer.total, 0)
  return `Downloading: ${Math.floor((100 * current) / total)} % of ${Math.ceil(total / 1_000_000)} MB`
}
