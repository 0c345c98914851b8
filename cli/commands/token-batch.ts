import { mkdir, rmdir, writeFile } from 'node:fs/promises'
import { invalidRequest } from '@/lib/contract/errors'
import { type Context, print } from '../context'
import { readTextFile } from '../declare/values'
import { describeFileError } from '../files'
import { findProject } from '../find-project'
import { enterParent } from '../received/path-below'

interface BatchOptions {
  class?: string
  project?: string
  competition?: string
  name?: string
  expires?: number | null
  replace?: boolean
  output?: string
  json?: boolean
}

/** Creates a token for each user of a list, and writes a config for each into a directory of its own. */
export async function createTokenBatch(
  context: Context,
  list: string,
  { class: course, project, competition, name, expires, replace, output, json }: BatchOptions,
): Promise<number> {
  if ((course === undefined) === (project === undefined))
    throw invalidRequest('Give --class CLASS for the members of a class, or as an admin --project ID.')
  if (output === undefined && !json)
    throw invalidRequest('Give --output DIRECTORY for the configs. The server shows the tokens only once.')
  const users = await (await readTextFile(list)).text()
  const client = await context.connect()
  const place =
    course === undefined ? { project_id: project } : { class_id: (await findProject(client, course)).id }
  // Before the tokens exist, which cannot be read a second time.
  if (output !== undefined) await makeNew(output)
  const request = client.tokens.createMany({
    users,
    ...place,
    competition_id: competition,
    name,
    replace,
    expires_in_days: expires,
  })
  const created = await request.catch(async (error: unknown) => {
    if (output !== undefined) await rmdir(output)
    throw error
  })
  for (const { user_id, config } of output === undefined ? [] : created.tokens) {
    const path = await enterParent(output ?? '', `${user_id}/config.yaml`, true)
    if (path === null) throw new Error(`The directory ${output} was removed meanwhile.`)
    await writeFile(path, config, { flag: 'wx', mode: 0o600 })
  }
  const count = created.tokens.length
  return print(
    context,
    json,
    created,
    `Wrote ${count} ${count === 1 ? 'config' : 'configs'} below ${output}.\n`,
  )
}

/** Makes a directory, so that no config replaces a file. */
async function makeNew(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    throw invalidRequest(
      `Cannot make the directory ${path}: ${describeFileError(error)}. Choose another --output.`,
    )
  })
}
