import { createHash } from 'node:crypto'
import { canonicalText, type Manifest } from '../contract/archives/archive-manifest'

/** The id of a directory: the SHA-256 of its manifest, in hexadecimal. */
export function archiveHash(manifest: Manifest): string {
  return createHash('sha256').update(canonicalText(manifest)).digest('hex')
}
