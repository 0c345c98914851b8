import { dirname } from 'node:path'
import { isMap, parseDocument } from 'yaml'
import type { Context } from '../context'
import { shipDirectory } from './ship-directory'

/**
 * Ships the program's directory to the project of its config, and returns the config with a reference to the
 * directory. Returns an invalid config unchanged: the server reports its errors.
 */
export async function shipBeside(
  context: Context,
  program: string,
  config: Blob | string,
  quiet: boolean | undefined,
): Promise<Blob | string> {
  const text = typeof config === 'string' ? config : await config.text()
  const document = parseDocument(text)
  const project: unknown = isMap(document.contents) ? document.get('project_id') : null
  if (document.errors.length > 0 || typeof project !== 'string') return config
  const { archive } = await shipDirectory(context, project, dirname(program), { quiet })
  document.set('archive', archive)
  return document.toString()
}
