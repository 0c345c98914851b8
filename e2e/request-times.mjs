/** A thread that sends one request after the other, so that the load of the test's own thread does not count. */
import { request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

/** @type {{ url: string, headers: Record<string, string> }} */
const { url, headers } = workerData
/** @type {number[]} */
const times = []
let stopped = false
parentPort?.once('message', () => {
  stopped = true
})

while (!stopped) {
  const started = performance.now()
  const status = await new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent: false }, (answer) => {
      answer
        .resume()
        .on('end', () => resolve(answer.statusCode))
        .on('error', reject)
    })
    sent.on('error', reject).end()
  })
  if (status !== 200) throw new Error(`A request of another user was answered with ${status}.`)
  times.push(performance.now() - started)
}
parentPort?.postMessage(times)
