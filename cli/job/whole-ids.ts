import { conflict, GpuqError, notFound } from '@/lib/contract/errors'
import { ProblemError } from '@/lib/http/client/problem'
import type { Context } from '../context'
import { otherObjects } from '../features'
import { isUuid } from '../received/path-below'
import { findJobId, firstIds } from './job-id'
import type { ConfigOptions } from './upload-config'

const isNotFound = (error: unknown) =>
  error instanceof ProblemError
    ? error.status === 404
    : error instanceof GpuqError && error.code === 'not_found'

function nullIfNotFound(error: unknown): null {
  if (isNotFound(error)) return null
  throw error
}

/** The error of a command that did not find a job: if an id is that of another object, it says which command shows that. */
export async function explainNotFound(
  context: Context,
  given: readonly string[],
  error: unknown,
): Promise<unknown> {
  if (!isNotFound(error)) return error
  const client = await context.connect()
  for (const one of given)
    for (const { name, find, command } of otherObjects) {
      const id = await find(client, one).catch(() => null)
      if (id !== null)
        return new GpuqError('not_found', `${id} is ${name}, not a job. Use \`${command(id)}\`.`, {
          cause: error,
        })
    }
  return error
}

/** Replaces the starts of ids in options by the ids: they may be those of jobs, or of other objects. */
export async function withWholeIds<Options extends ConfigOptions>(
  context: Context,
  options: Options,
): Promise<Options> {
  const { parent, depends_on: dependencies } = options
  return {
    ...options,
    ...(parent !== undefined && { parent: await findAnyId(context, parent) }),
    ...(Array.isArray(dependencies) && {
      depends_on: await Promise.all(
        dependencies.map((one) => (typeof one === 'string' ? findDependency(context, one) : one)),
      ),
    }),
  }
}

/** `any:ID`. The server judges every other form, such as `slurm:1234`. */
const dependencyForm = /^((?:ok|any|failed|afterok|afterany|afternotok):)?([0-9a-f-]+)$/i

async function findDependency(context: Context, given: string): Promise<string> {
  const [, condition = '', id] = dependencyForm.exec(given) ?? []
  return id === undefined ? given : `${condition}${await findAnyId(context, id)}`
}

async function findAnyId(context: Context, given: string): Promise<string> {
  if (isUuid(given)) return given.toLowerCase()
  const client = await context.connect()
  const finders = [findJobId, ...otherObjects.map(({ find }) => find)]
  const all = await Promise.all(finders.map((find) => find(client, given).catch(nullIfNotFound)))
  const found = all.filter((id) => id !== null)
  const [first] = found
  if (first === undefined)
    throw notFound(
      `You have no job or group whose id starts with ${given}. List them with \`gpuq jobs\` and \`gpuq groups\`. A member of a group needs its whole id.`,
    )
  if (found.length === 1) return first
  throw conflict(`${found.length} of your ids start with ${given}: ${firstIds(found)}. Give a longer prefix.`)
}
