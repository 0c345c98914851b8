import { countDays } from '@/lib/accounting/count-days'
import { deleteOldDeliveries } from '@/lib/notifications/outbox'

/** What features do every ten minutes on the worker that leads the scheduler. */
export const featureSweeps = [
  { what: 'count the use of the last days', run: countDays },
  { what: 'delete old notifications', run: deleteOldDeliveries },
] as const
