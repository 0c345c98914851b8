import { clientAddress } from '@/lib/access/client-address'
import { shareOperations } from '@/lib/contract/operations/shares'
import { route } from '@/lib/http/route'
import { sharedEvents } from '@/lib/jobs/shares/shared-events'

/** Public, because the token of the link proves the right. */
export const GET = route(shareOperations.events, ({ params, request }) =>
  sharedEvents(
    {
      token: params.token,
      address: clientAddress(request.headers),
      lastEventId: request.headers.get('last-event-id'),
    },
    request.signal,
  ),
)
