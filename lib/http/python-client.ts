import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { siteOrigin } from './origin'
import { answerFile, toServedFile } from './served-file'

const noDefault = /^DEFAULT_SERVER = ""$/m

/**
 * Answers with the Python client. Its default server is the address that was requested.
 * @param root where the server was built
 */
export async function answerPythonClient(request: Request, root: string): Promise<Response> {
  const source = await readFile(join(root, 'cli', 'python', 'gpuq.py'), 'utf8')
  // A string literal of JSON is also one of Python.
  const line = `DEFAULT_SERVER = ${JSON.stringify(siteOrigin(request))}`
  const file = toServedFile(Buffer.from(source.replace(noDefault, () => line)))
  return answerFile(request, file, 'text/x-python; charset=utf-8', 'gpuq.py')
}
