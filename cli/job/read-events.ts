import { createParser, type EventSourceMessage } from 'eventsource-parser'

/**
 * The server-sent events of a stream. One that the end of the stream cuts off is dropped: its reader goes on from the id
 * before it.
 */
export async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<EventSourceMessage> {
  const events: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => events.push(event) })
  const decoder = new TextDecoder()
  for await (const chunk of bytes) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* events.splice(0)
  }
}
