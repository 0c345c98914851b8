import { GpuqError } from '@/lib/contract/errors'
import { route } from '@/lib/http/route'

const nothing = route({ access: 'public' }, ({ url }) => {
  throw new GpuqError('not_found', `There is no ${url.pathname}. /api/openapi.json lists what there is.`)
})

/** Whatever is asked for under /api and is not there gets a problem, never a page. */
export { nothing as DELETE, nothing as GET, nothing as PATCH, nothing as POST, nothing as PUT }
