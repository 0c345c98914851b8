import { cache } from 'react'
import { sessionUser } from './session'

/** The signed-in user of the current page, for server components. Read once per request. */
export const currentActor = cache(() => sessionUser())
