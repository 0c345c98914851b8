/** A request that makes no progress for this time is broken. */
const stalledMs = 60_000

/** A `fetch` that reports how many bytes of the body were sent, which the browser's own does not. Answers are texts. */
export function fetchWithProgress(onSent: (bytes: number) => void): typeof fetch {
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      let timer: ReturnType<typeof setTimeout> | undefined
      const breakOff = () => {
        request.abort()
        reject(new TypeError('The connection is broken.'))
      }
      const restart = () => {
        clearTimeout(timer)
        timer = setTimeout(breakOff, stalledMs)
      }
      const { signal } = init
      const cancel = () => {
        request.abort()
        reject(signal?.reason)
      }
      request.open(init.method ?? 'GET', String(input))
      for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value)
      request.upload.addEventListener('progress', ({ loaded }) => {
        restart()
        onSent(loaded)
      })
      // From here on the server stores the content, which takes its time.
      request.upload.addEventListener('load', () => clearTimeout(timer))
      request.addEventListener('load', () => resolve(toResponse(request)))
      request.addEventListener('error', breakOff)
      request.addEventListener('loadend', () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', cancel)
      })
      if (signal?.aborted) return cancel()
      signal?.addEventListener('abort', cancel)
      restart()
      request.send(init.body as XMLHttpRequestBodyInit)
    })
}

function toResponse(request: XMLHttpRequest): Response {
  const headers = new Headers()
  for (const name of ['content-type', 'retry-after']) {
    const value = request.getResponseHeader(name)
    if (value !== null) headers.set(name, value)
  }
  return new Response(request.responseText, {
    status: request.status,
    statusText: request.statusText,
    headers,
  })
}
