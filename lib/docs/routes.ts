import { authenticate } from '../access/authenticate'
import { notFound } from '../contract/errors'
import { siteOrigin } from '../http/origin'
import { route } from '../http/route'
import { answerFile, toServedFile } from '../http/served-file'
import { llmsText, skillText } from './agent-texts'
import { documentationOperations } from './operations'
import { readPictures } from './pictures'
import { searchDocumentation } from './reference/search-documentation'

export const documentationRoutes = {
  /** A picture of the documentation. Public, like the documentation. */
  documentPicture: route(documentationOperations.documentPicture, async ({ request, params }) => {
    const picture = (await readPictures()).get(params.name)
    if (!picture) throw notFound('There is no such picture.')
    return answerFile(request, toServedFile(picture.bytes), picture.type)
  }),

  /** Public, like the documentation. With a token or a session it also says what jobs can use. */
  skill: route(documentationOperations.skill, async ({ request }) => {
    const actor = await authenticate(request)
    const isReader = actor?.scopes.includes('read')
    return markdown(await skillText(siteOrigin(request), isReader ? actor : null))
  }),

  /** Public, like the documentation. */
  llms: route(documentationOperations.llms, async ({ request }) =>
    markdown(await llmsText(siteOrigin(request))),
  ),

  /** Public, like the documentation. */
  searchDocumentation: route(documentationOperations.searchDocumentation, async ({ query }) =>
    (await searchDocumentation(query.q))
      .slice(0, query.limit)
      .map((hit) => ({ ...hit, path: [...hit.path] })),
  ),
}

const markdown = (text: string) =>
  new Response(text, {
    headers: { 'content-type': 'text/markdown; charset=utf-8', 'cache-control': 'no-store' },
  })
