import { peopleRoutes } from './members/routes'
import { setupRoutes } from './setup/routes'
import { similarityRoutes } from './similarity/routes'

export { boardRoutes } from './boards/routes'
export { entryRoutes } from './entries/routes'
export { gradeRoutes } from './grades/routes'
export { rescoreRoutes } from './rescoring/routes'

export const competitionRoutes = { ...setupRoutes, ...peopleRoutes, ...similarityRoutes }
