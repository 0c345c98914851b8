import { dirname } from 'node:path'
import { isMap, parseDocument } from 'yaml'
import type { Context } from '../context'
import { shipDirectory } from './ship-directory'

/**
 * Ships the directory of a program to the project that its config names, and gives the config that names the directory.
 * One that cannot be understood is given back as it is: the server says what is wrong with it.
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
