import { serverOperations } from '@/lib/contract/operations/server'
import { answerCommandLine } from '@/lib/http/command-line-package'
import { route } from '@/lib/http/route'

/** The `gpuq` command, for `npm install -g`. It holds nothing that is not public, and comes before there is a token. */
export const GET = route(serverOperations.commandLine, ({ request }) =>
  answerCommandLine(request, process.cwd()),
)
