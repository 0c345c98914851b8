import { testedValues } from '@/lib/env/testing/test-matrix'
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

/** The products on which the tests of the runtime run. */
export const products = testedValues<Product>(['Docker'], ['Podman'])

/** A product, and whether the containers of its tests were started before their task was known. */
export interface Variant {
  product: Product
  warm: boolean
}

/** As {@link products}, with both ways to start a container. */
export const variants = testedValues<Variant>(
  [{ product: 'Docker', warm: false }],
  [
    { product: 'Podman', warm: false },
    { product: 'Docker', warm: true },
  ],
)

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
