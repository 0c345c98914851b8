import { PodmanService } from '../../testing/podman-service'
import type { RuntimeOptions } from '../docker/engine-runtime'
import { engineSocket } from './engine-probe'

/** An engine on which the tests of the runtime run. */
export interface TestEngine {
  /** How a runtime finds it. */
  options: Pick<RuntimeOptions, 'socketPath' | 'directory'>
  socketPath: string
  close(): Promise<void>
}

export type Product = 'Docker' | 'Podman'

/** Whether the same tests repeat what `npm test` has shown on Docker, before a release. */
const repeats = process.env.GPUQ_TEST_MATRIX === 'release'

/** The products on which the tests of the runtime run: Docker in `npm test`, Podman in the release suite. */
export const products: Product[] = repeats ? ['Podman'] : ['Docker']

/** A product, and whether the containers of its tests were started before their task was known. */
export interface Variant {
  product: Product
  warm: boolean
}

/** As {@link products}, with both ways to start a container. */
export const variants: Variant[] = [
  ...products.map((product) => ({ product, warm: false })),
  ...(repeats ? [{ product: 'Docker' as const, warm: true }] : []),
]

/** The machine's Docker, or Podman of the caller's own. */
export async function startTestEngine(product: Product): Promise<TestEngine> {
  if (product === 'Docker') return { options: {}, socketPath: engineSocket, close: async () => {} }
  const podman = await PodmanService.start()
  return {
    options: { socketPath: podman.socketPath, directory: podman.filesDirectory },
    socketPath: podman.socketPath,
    close: () => podman.remove(),
  }
}
