/** A server-sent event. */
export interface StreamEvent {
  event: string
  /** The `data:` lines; kept apart, because an output event has a record on each. */
  data: string[]
  /** The newest id the stream has named; null before the first. */
  id: string | null
}

/**
 * The events of a stream, as they are completed by an empty line. One that the end of the stream cuts off is dropped:
 * its reader goes on from the id before it.
 */
export async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent> {
  let event = 'message'
  let data: string[] = []
  let id: string | null = null
  for await (const line of readTextLines(bytes)) {
    if (line === '') {
      if (data.length > 0) yield { event, data, id }
      event = 'message'
      data = []
      continue
    }
    const [field, value] = splitField(line)
    if (field === 'data') data.push(value)
    else if (field === 'event') event = value
    else if (field === 'id') id = value
  }
}

function splitField(line: string): [string, string] {
  const colon = line.indexOf(':')
  if (colon === -1) return [line, '']
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)]
}

/** Whole lines only; what a chunk left open is joined once, when its end has come. */
async function* readTextLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let begun: string[] = []
  for await (const chunk of bytes) {
    const text = decoder.decode(chunk, { stream: true })
    const lines = text.split('\n')
    const last = lines.pop() ?? ''
    for (const line of lines) {
      const whole = begun.length > 0 ? begun.join('') + line : line
      begun = []
      yield whole.endsWith('\r') ? whole.slice(0, -1) : whole
    }
    if (last !== '') begun.push(last)
  }
}
