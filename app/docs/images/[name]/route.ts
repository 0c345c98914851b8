import { notFound } from '@/lib/contract/errors'
import { serverOperations } from '@/lib/contract/operations/server'
import { readPictures } from '@/lib/docs/pictures'
import { route } from '@/lib/http/route'
import { answerFile, toServedFile } from '@/lib/http/served-file'

/** A picture of the documentation. Public, like the documentation. */
export const GET = route(serverOperations.documentPicture, async ({ request, params }) => {
  const picture = (await readPictures()).get(params.name)
  if (!picture) throw notFound('There is no such picture.')
  return answerFile(request, toServedFile(picture.bytes), picture.type)
})
