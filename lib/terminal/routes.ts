import { readBytes } from '../http/body'
import { route } from '../http/route'
import { terminalOperations } from './operations'
import { maxInputBytes, resizeTerminal, typeInto } from './type-into'

export const terminalRoutes = {
  type: route(terminalOperations.type, ({ request, query, params, actor }) =>
    typeInto(actor, params.id, query.rank, () => readBytes(request, maxInputBytes)),
  ),

  resize: route(terminalOperations.resize, ({ query, params, actor, body }) =>
    resizeTerminal(actor, params.id, query.rank, body),
  ),
}
