import { z } from 'zod'
import { RuntimeFault } from '../runtime'
import type { ImageTraits } from '../spec/container-spec'
import { errorMessageOf, statusOf, toFault } from './engine-faults'
import { followPull } from './pull-progress'

const imageSchema = z.object({
  Id: z.string(),
  RepoDigests: z.array(z.string()).nullish(),
  Config: z.object({ Volumes: z.record(z.string(), z.unknown()).nullish() }).nullish(),
})

/** The requests that the store needs. */
export interface ImageEngine {
  inspectImage(image: string): Promise<unknown>
  pullImage(image: string): Promise<AsyncIterable<Uint8Array | string>>
}

/** The images on this node. Pulls only missing images, and each once for concurrent callers. */
export class ImageStore {
  private readonly known = new Map<string, ImageTraits>()
  private readonly pulls = new Map<string, Promise<void>>()

  constructor(private readonly engine: ImageEngine) {}

  /** Pulls the image if it is missing. Returns its digest, or its id if it did not come from a registry. */
  async ensure(image: string, onProgress: (line: string) => void): Promise<string> {
    const present = await this.find(image)
    if (present !== null) return present
    const pull = this.pulls.get(image) ?? this.pull(image, onProgress).finally(() => this.pulls.delete(image))
    this.pulls.set(image, pull)
    await pull
    const pulled = await this.find(image)
    if (pulled !== null) return pulled
    throw new RuntimeFault(
      'image_unavailable',
      `The image ${image} was pulled, but the engine does not have it. Check its free disk space.`,
    )
  }

  /** Whether the image is on this node. */
  async has(image: string): Promise<boolean> {
    return (await this.find(image)) !== null
  }

  /** Returns what the image declares; cached. */
  async traits(image: string): Promise<ImageTraits> {
    if (!this.known.has(image)) await this.find(image)
    const traits = this.known.get(image)
    if (traits !== undefined) return traits
    throw new RuntimeFault('image_unavailable', `The image ${image} is not on this node.`)
  }

  /** Removes an image from the cache after it turned out to be missing. */
  forget(image: string): void {
    this.known.delete(image)
  }

  private async find(image: string): Promise<string | null> {
    try {
      const found = imageSchema.parse(await this.engine.inspectImage(image))
      this.known.set(image, { volumes: Object.keys(found.Config?.Volumes ?? {}) })
      return found.RepoDigests?.[0] ?? found.Id
    } catch (error) {
      if (statusOf(error) === 404) return null
      throw toFault(error, 'look for an image', 'image_unavailable')
    }
  }

  private async pull(image: string, onProgress: (line: string) => void): Promise<void> {
    try {
      await followPull(await this.engine.pullImage(image), onProgress)
    } catch (error) {
      const fault = toFault(error, 'pull an image')
      if (fault.code === 'engine_unreachable') throw fault
      throw new RuntimeFault(
        'image_unavailable',
        `The image ${image} could not be pulled: ${errorMessageOf(error)}`,
        {
          cause: error,
        },
      )
    }
  }
}
