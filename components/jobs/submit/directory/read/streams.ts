/** The pieces of a stream. Not every browser can iterate over a stream itself. */
export async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // Fails if the stream has failed, which the reader knows.
    await reader.cancel().catch(() => {})
  }
}

/** The pieces as a blob, which the browser may keep on the disk. */
export function toBlob(pieces: AsyncIterable<Uint8Array>): Promise<Blob> {
  const iterator = pieces[Symbol.asyncIterator]()
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  return new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).blob()
}
