/** Parses the engine's JSON streams, one value per line. Ends with the stream and throws its error. */
export async function* readJsonLines(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of stream) {
    const lines = (
      rest + (typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true }))
    ).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line)
  }
  if (rest.trim() !== '') yield JSON.parse(rest)
}
