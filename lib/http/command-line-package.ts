import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { notFound } from '../contract/errors'
import { answerFile, type ServedFile, toServedFile } from './served-file'

/** Read once: a build that is made under a running server belongs to its next start. */
let known: ServedFile | null = null

async function readPackage(root: string): Promise<ServedFile> {
  if (known) return known
  const bytes = await readFile(join(root, 'dist', 'gpuq.tgz')).catch(() => {
    throw notFound(
      'The command line is not packed yet. An admin runs `npm run build` for it, then starts the server again.',
    )
  })
  known = toServedFile(bytes)
  return known
}

/**
 * Answers with the command line as an npm package.
 * @param root where the server was built
 * @throws GpuqError not_found where there was no build
 */
export async function answerCommandLine(request: Request, root: string): Promise<Response> {
  return answerFile(request, await readPackage(root), 'application/gzip', 'gpuq.tgz')
}
