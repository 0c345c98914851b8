import type { System } from '../system/start-system'
import { call, upload } from './client'
import { type Figures, figuresOf } from './measure'

/** Not measured: a server that has just started runs code that is not optimized yet. */
const warmUpMs = 4_000

/**
 * Measures the accepted submissions per second from many concurrent clients. Each response confirms that the
 * job is stored durably.
 */
export async function benchSubmissions(
  system: System,
  { clients, seconds }: { clients: number; seconds: number },
): Promise<{ perSecond: number; latency: Figures }> {
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
    return { perSecond: samples.length / ((performance.now() - began) / 1000), latency: figuresOf(samples) }
  }
  await submitFor(warmUpMs)
  return submitFor(seconds * 1000)
}
