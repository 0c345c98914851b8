import type { System } from '../system/start-system'
import { call, upload } from './client'
import { type Figures, figuresOf } from './measure'
import { readCost } from './process-cost'

/** Not measured: a server that has just started runs code that is not optimized yet. */
const warmUpMs = 4_000

interface SubmissionFigures {
  perSecond: number
  latency: Figures
  /** CPU time of each submission, in milliseconds. */
  webCpuMs: number
  databaseCpuMs: number
}

/**
 * Measures the accepted submissions per second from many concurrent clients. Each response confirms that the
 * job is stored durably.
 */
export async function benchSubmissions(
  system: System,
  { clients, seconds }: { clients: number; seconds: number },
): Promise<SubmissionFigures> {
  const [url, request] = upload(system, 'print("hello")\n')
  const submit = async () => {
    const began = performance.now()
    const { status, body } = await call(url, request)
    if (status !== 202) throw new Error(`submit answered ${status}: ${body}`)
    return performance.now() - began
  }
  const submitFor = async (milliseconds: number) => {
    const samples: number[] = []
    const began = performance.now()
    await Promise.all(
      Array.from({ length: clients }, async () => {
        while (performance.now() < began + milliseconds) samples.push(await submit())
      }),
    )
    const perSecond = samples.length / ((performance.now() - began) / 1000)
    return { perSecond, count: samples.length, latency: figuresOf(samples) }
  }
  await submitFor(warmUpMs)
  const readCosts = () => Promise.all([readCost(system.pids.web), readCost(system.pids.database)])
  const [webBefore, databaseBefore] = await readCosts()
  const { count, ...measured } = await submitFor(seconds * 1000)
  const [web, database] = await readCosts()
  return {
    ...measured,
    webCpuMs: (web.cpuMs - webBefore.cpuMs) / count,
    databaseCpuMs: (database.cpuMs - databaseBefore.cpuMs) / count,
  }
}
