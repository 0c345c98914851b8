import { Worker } from 'node:worker_threads'
import { takeSlot } from '../async/concurrency-limit'
import { withTimeout } from '../async/sleep'
import { invalidField, rateLimited } from '../contract/errors'

/** An expression such as `(a+)+$` can take years for one line. So it runs in a thread of its own, which can be ended. */
const program = `
  const { parentPort, workerData } = require('node:worker_threads')
  const pattern = new RegExp(workerData, 'i')
  parentPort.on('message', (lines) => parentPort.postMessage(lines.map((line) => pattern.test(line))))
`

/** For one search in all. An expression that needs longer is a bad one. */
const mostMs = 2_000
const searchesPerUser = 2
const searchesInAll = 8

/** Finds the lines that match a regular expression, which another user's agent has written. */
export class LineMatcher {
  #msLeft = mostMs

  private constructor(
    readonly worker: Worker,
    readonly release: () => void,
  ) {}

  /** @throws 422 for what is no regular expression; 429 if too many searches run */
  static start(userId: string, source: string): LineMatcher {
    try {
      new RegExp(source, 'i')
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw invalidField('search', `is no regular expression of JavaScript: ${why}`)
    }
    const own = takeSlot(`log searches of ${userId}`, searchesPerUser)
    const common = own && takeSlot('log searches', searchesInAll)
    if (!common) {
      own?.()
      throw rateLimited(
        'Too many logs are being searched at the moment. Try again in two seconds, one at a time.',
        2,
      )
    }
    const release = () => {
      own?.()
      common()
    }
    try {
      const worker = new Worker(program, {
        eval: true,
        workerData: source,
        env: {},
        execArgv: [],
        resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 },
      })
      // It has used too much memory, and exits.
      worker.on('error', () => undefined)
      return new LineMatcher(worker, release)
    } catch (error) {
      release()
      throw error
    }
  }

  /** Whether each line matches. @throws 422 if the expression takes too long or too much memory */
  async match(lines: readonly string[]): Promise<readonly boolean[]> {
    const start = performance.now()
    const answer = new Promise<readonly boolean[]>((resolve, reject) => {
      this.worker.once('message', resolve)
      this.worker.once('exit', () => reject(tooSlow()))
    })
    this.worker.postMessage(lines)
    const found = await withTimeout(answer, Math.max(0, this.#msLeft), () => {
      throw tooSlow()
    })
    this.worker.removeAllListeners('exit')
    this.#msLeft -= performance.now() - start
    return found
  }

  async close(): Promise<void> {
    await this.worker.terminate()
    this.release()
  }
}

const tooSlow = () =>
  invalidField(
    'search',
    'takes too long on this output: write a simpler expression, without a repetition inside a repetition such as (a+)+, or a plain word',
  )
