import { route } from '../../http/route'
import { gradeOperations } from '../operations'
import { putExtension, putOverride, removeExtension, removeOverride } from './change-grades'
import { downloadGrades } from './download-grades'
import { listGrades, readOwnGrades } from './read-grades'

const placeOf = ({ id, phase, user }: { id: string; phase: string; user: string }) => ({
  slug: id,
  phase,
  user,
})

export const gradeRoutes = {
  list: route(gradeOperations.list, ({ actor, params, query }) => listGrades(actor, params.id, query)),
  own: route(gradeOperations.own, ({ actor, params }) => readOwnGrades(actor, params.id)),
  csv: route(gradeOperations.csv, ({ actor, params, query }) =>
    downloadGrades(actor, params.id, query.format),
  ),
  putExtension: route(gradeOperations.putExtension, ({ actor, params, body }) =>
    putExtension(actor, placeOf(params), body),
  ),
  removeExtension: route(gradeOperations.removeExtension, ({ actor, params }) =>
    removeExtension(actor, placeOf(params)),
  ),
  putOverride: route(gradeOperations.putOverride, ({ actor, params, body }) =>
    putOverride(actor, placeOf(params), body),
  ),
  removeOverride: route(gradeOperations.removeOverride, ({ actor, params }) =>
    removeOverride(actor, placeOf(params)),
  ),
}
