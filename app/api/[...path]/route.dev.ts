import { registerAllEngines } from '@/lib/engines'
import { answerApi } from '@/lib/http/server/answer-api'
import { apiRoutes } from '@/lib/routes/routes'

registerAllEngines()

/** Serves the API in `next dev`. In production the web server answers before Next.js, from the same table. */
const answer = (request: Request) => answerApi(apiRoutes, request)

export {
  answer as DELETE,
  answer as GET,
  answer as HEAD,
  answer as OPTIONS,
  answer as PATCH,
  answer as POST,
  answer as PUT,
}
