import { serverOperations } from '@/lib/contract/operations/server'
import { answerCommandLine } from '@/lib/http/command-line-package'
import { route } from '@/lib/http/route'

/** The package of the `gpuq` command, for `npm install -g`. Public, because users install it before they have a token. */
export const GET = route(serverOperations.commandLine, ({ request }) =>
  answerCommandLine(request, process.cwd()),
)
