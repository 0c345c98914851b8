import { notFound } from '@/lib/contract/errors'
import { route } from '@/lib/http/route'

const nothing = route({ access: 'public' }, ({ url }) => {
  throw notFound(`No operation has the path ${url.pathname}. /api/openapi.json lists all operations.`)
})

/** An unknown path below /api answers with a problem, never with a page. */
export { nothing as DELETE, nothing as GET, nothing as PATCH, nothing as POST, nothing as PUT }
