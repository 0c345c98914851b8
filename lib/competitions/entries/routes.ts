import { timeLimit } from '../../async/time-limit'
import { route } from '../../http/route'
import { startWaiting } from '../../jobs/live/wait'
import { entryOperations } from '../operations'
import { chooseEntry, disqualifyEntry, withdrawEntry } from './change-entry'
import { downloadLog, downloadSource } from './download-entry'
import { findEntry, listEntries, readEntry, readOwnEntries, waitForEntry } from './read-entries'

export const entryRoutes = {
  list: route(entryOperations.list, ({ actor, params, query }) =>
    listEntries(actor, params.id, params.phase, query),
  ),

  own: route(entryOperations.own, ({ actor, params }) => readOwnEntries(actor, params.id, params.phase)),

  get: route(entryOperations.get, async ({ actor, params, query, request }) => {
    const entry = await readEntry(actor, params.id)
    if (query.wait === 0 || entry.ended_at !== null) return entry
    const stopWaiting = startWaiting(actor, 'Ask without "wait"')
    try {
      await waitForEntry(actor, params.id, timeLimit(query.wait * 1000, request.signal))
    } finally {
      stopWaiting()
    }
    return readEntry(actor, params.id)
  }),

  log: route(entryOperations.log, ({ actor, params, request }) => downloadLog(actor, params.id, request)),

  source: route(entryOperations.source, ({ actor, params }) => downloadSource(actor, params.id)),

  withdraw: route(entryOperations.withdraw, ({ actor, params }) => withdrawEntry(actor, params.id)),

  choose: route(entryOperations.choose, async ({ actor, params, body }) => {
    await findEntry(actor, params.id)
    return chooseEntry(actor, params.id, (await body()).chosen)
  }),

  disqualify: route(entryOperations.disqualify, async ({ actor, params, body }) => {
    await findEntry(actor, params.id)
    return disqualifyEntry(actor, params.id, (await body()).reason)
  }),
}
