import { serverOperations } from '@/lib/contract/operations/server'
import { answerPythonClient } from '@/lib/http/python-client'
import { route } from '@/lib/http/route'

/** The Python client. Public, because users download it before they have a token. */
export const GET = route(serverOperations.pythonClient, ({ request }) =>
  answerPythonClient(request, process.cwd()),
)
