import * as z from 'zod'
import { defineOperations, get, ok } from '../contract/operations/operation'
import { maxDocumentationQuery } from '../contract/search/search-keys'

const documentationHitSchema = z.object({
  href: z.string(),
  path: z.array(z.string()).describe('the headings above the section, outermost first, with its own'),
  excerpt: z.string(),
})

export type DocumentationHit = z.infer<typeof documentationHitSchema>

/** The documentation that the server shows. */
export const documentationOperations = defineOperations('server', 'operations', {
  documentPicture: get('/docs/images/{name}', 'public', 'A picture of the documentation', {
    responses: {
      200: { description: 'image/png or image/svg+xml, with an ETag' },
      304: { description: 'The picture still has the ETag of If-None-Match' },
    },
  }),
  skill: get('/skill.md', 'public', 'How an agent uses this queue, with its address', {
    responses: {
      200: { description: 'text/markdown; with a token or a session also environments and limits' },
    },
  }),
  llms: get('/llms.txt', 'public', 'What this server has for agents: documentation, API and tools', {
    responses: { 200: { description: 'text/markdown' } },
  }),
  searchDocumentation: get(
    '/api/docs/search',
    'public',
    'The sections of the documentation that contain every word or a word that starts with it, the best first',
    {
      query: z.object({
        q: z.string().max(maxDocumentationQuery),
        limit: z.coerce.number().int().min(1).max(30).default(30),
      }),
      responses: ok(z.array(documentationHitSchema)),
    },
  ),
})
