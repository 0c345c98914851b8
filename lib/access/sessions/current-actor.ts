import { cache } from 'react'
import { sessionUser } from './session'

/** Who looks at the page being made, for server components; asked once however many of them want to know. */
export const currentActor = cache(() => sessionUser())
