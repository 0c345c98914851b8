import {
  artifactListSchema,
  artifactPreviewSchema,
  type CreateLink,
  linkSchema,
} from '../../contract/artifacts'
import type { Transport } from './transport'

const segment = encodeURIComponent

/** Calls about the files that jobs leave. */
export function artifactCalls(transport: Transport) {
  const path = (id: string) => `/api/jobs/${segment(id)}/artifacts`
  return {
    artifacts: (id: string, signal?: AbortSignal) => transport.json(path(id), artifactListSchema, { signal }),
    /** One file as it comes. */
    artifact: (id: string, artifactId: string, signal?: AbortSignal) =>
      transport.raw(`${path(id)}/${segment(artifactId)}`, { signal }),
    artifactPreview: (id: string, artifactId: string, signal?: AbortSignal) =>
      transport.json(`${path(id)}/${segment(artifactId)}/preview`, artifactPreviewSchema, { signal }),
    artifactUrl: (id: string, artifactId: string, as?: 'image') =>
      transport.url(`${path(id)}/${segment(artifactId)}`, { as }),
    /** Where all of them can be downloaded as one archive. */
    archiveUrl: (id: string) => transport.url(`${path(id)}.tar`),
    /** Makes an address of a file that works without signing in, until it expires. */
    link: (id: string, body: CreateLink) =>
      transport.json(`/api/jobs/${segment(id)}/links`, linkSchema, { method: 'POST', body }),
  }
}
