import type { z } from 'zod'
import { conflict } from '../contract/errors'
import type { VisibleJob } from '../jobs/read/job-visibility'
import { type FoundArtifact, findArtifact, openArtifact } from './artifacts'
import type { artifactPreviewSchema } from './contract'
import { maxImageBytes } from './contract-image-names'
import { type ImageFacts, type ImageType, readImage, refusalOfImage } from './contract-image-size'

const previewBytes = 64 * 1024
/** A JPEG image may have a thumbnail, a colour profile and notes before its size. */
const imageHeadBytes = 1024 * 1024

/** Returns what is safe to show of an untrusted artifact: the start of a text, or the fact that it is an image. */
export async function previewArtifact(
  job: VisibleJob,
  artifactId: string,
): Promise<z.output<typeof artifactPreviewSchema>> {
  const row = await findArtifact(job, artifactId)
  const head = await readHead(job, row, previewBytes)
  const image = await findImage(job, row, head)
  if (image !== null) {
    const why = refusalOf(row, image)
    return why === null ? { kind: 'image' } : { kind: 'none', why }
  }
  const truncated = row.bytes > head.length
  const text = new TextDecoder('utf-8').decode(head, { stream: truncated })
  if (/[\0\ufffd]/.test(text)) return { kind: 'none', why: 'The file is neither text nor an image.' }
  return { kind: 'text', text, truncated }
}

/**
 * Returns the type of an image that a page can show. With a declared type, browsers do not interpret the content as anything
 * else.
 * @throws 409 if it is none, or too large
 */
export async function requireImage(job: VisibleJob, row: FoundArtifact): Promise<ImageType> {
  const image = await findImage(job, row, await readHead(job, row, previewBytes))
  if (image === null)
    throw conflict(
      'The artifact is not a PNG, JPEG, GIF, WebP or AVIF image that a page can show. Download it instead.',
    )
  const why = refusalOf(row, image)
  if (why !== null) throw conflict(why)
  return image.type
}

function refusalOf({ bytes }: FoundArtifact, image: ImageFacts): string | null {
  return bytes > maxImageBytes
    ? 'The image is too large to show. Download it instead.'
    : refusalOfImage(image)
}

/** Reads more of the file if its beginning does not have the size. */
async function findImage(job: VisibleJob, row: FoundArtifact, head: Buffer): Promise<ImageFacts | null> {
  const image = readImage(head)
  if (image === null || image.size !== null || head.length >= row.bytes) return image
  return readImage(await readHead(job, row, imageHeadBytes))
}

async function readHead(job: VisibleJob, row: FoundArtifact, length: number): Promise<Buffer> {
  const stream = await openArtifact(job, row, { end: length - 1 })
  const parts: Buffer[] = []
  for await (const part of stream as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts)
}
