import { notFound } from '../contract/errors'
import { route } from '../http/route'
import { answerFile, toServedFile } from '../http/served-file'
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

  /** Public, like the documentation. */
  searchDocumentation: route(documentationOperations.searchDocumentation, async ({ query }) =>
    (await searchDocumentation(query.q))
      .slice(0, query.limit)
      .map((hit) => ({ ...hit, path: [...hit.path] })),
  ),
}
