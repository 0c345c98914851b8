/**
 * A body that is read only as fast as its client takes it, and not at all if nobody asks for it, as for HEAD.
 * @param onEnd called once: when everything was sent, when reading failed, or when the client has left
 */
export function streamed(
  content: AsyncIterable<Uint8Array>,
  onEnd: () => void = () => {},
): ReadableStream<Uint8Array> {
  const iterator = content[Symbol.asyncIterator]()
  let hasEnded = false
  const end = () => {
    if (hasEnded) return
    hasEnded = true
    onEnd()
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await iterator.next()
          if (!done) return controller.enqueue(value)
          end()
          controller.close()
        } catch (error) {
          end()
          controller.error(error)
        }
      },
      cancel() {
        end()
        // A generator that waits for its next piece ends after it.
        iterator.return?.(undefined)?.catch(() => undefined)
      },
    },
    { highWaterMark: 0 },
  )
}
