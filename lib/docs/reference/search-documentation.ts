import { type Document, readDocuments } from '../documents'
import { type Hit, indexDocuments, type Passage, searchPassages, toPassage } from '../search'
import { apiReference } from './api-reference'

/** A section of a guide explains more than an operation with the same words. */
const operationWeight = 0.2

/** The documents of the last index. Only development reads them again. */
let indexed: { documents: readonly Document[]; passages: readonly Passage[] } | undefined

/** Searches in the documents and in the API reference of this version. The index is built once. */
export async function searchDocumentation(query: string): Promise<Hit[]> {
  const documents = await readDocuments()
  if (indexed?.documents !== documents)
    indexed = { documents, passages: [...indexDocuments(documents), ...indexOperations()] }
  return searchPassages(indexed.passages, query)
}

/** Every operation, by its summary, its path and its fields. The address of the server is no part of them. */
function indexOperations(): Passage[] {
  return apiReference('').flatMap(({ slug, title, operations }) =>
    operations.map(({ id, method, path, summary, parameters, body }) => {
      const fields = [...parameters, ...(body?.fields ?? [])].map(({ name, description }) =>
        description === '' ? name : `${name}: ${description}`,
      )
      const text = [`${method} ${path}`, ...fields].join('. ')
      return toPassage(`/docs/api/${slug}#${id}`, ['API reference', title, summary], text, operationWeight)
    }),
  )
}
