/** Fails the requests that wait for an answer. */
const waiting = new Set<(error: TypeError) => void>()
process.on('beforeExit', () => {
  for (const fail of waiting)
    fail(new TypeError('the server closed the connection before the request was sent'))
})

/**
 * `fetch` that always settles. In Node.js 20, the promise of `fetch` stays pending if the server closes a connection before the
 * request is sent on it. Then nothing is left to wait for, and the process would end in the middle of a command.
 */
export const settledFetch: typeof fetch = (input, init) =>
  new Promise((resolve, reject) => {
    waiting.add(reject)
    fetch(input, init)
      .then(resolve, reject)
      .finally(() => waiting.delete(reject))
  })
