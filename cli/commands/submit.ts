import { invalidRequest } from '@/lib/contract/errors'
import type { Context } from '../context'
import { readTextFile } from '../declare/values'
import { followOrPrint, type WaitOptions } from '../job/follow-submitted'
import { withOptionErrors } from '../job/option-errors'
import { type ConfigOptions, requireOneDirectory, toConfigText } from '../job/upload-config'
import { uploadBeside } from '../pack/upload-directory'

interface SubmitOptions extends ConfigOptions, WaitOptions {
  /** Uploads the directory of the program. */
  withDir?: boolean
}

/** Uploads a program and follows it until it ends. */
export async function submit(
  context: Context,
  solution: string,
  configPath: string | undefined,
  { wait, quiet, json, deduplicate, withDir = false, ...options }: SubmitOptions,
): Promise<number> {
  if (configPath !== undefined && Object.keys(options).length > 0) {
    throw invalidRequest(
      'CONFIG.yaml cannot be combined with job options. Use either the file or the options.',
    )
  }
  requireOneDirectory(options, withDir)
  const code = await readTextFile(solution)
  const given = configPath === undefined ? toConfigText(options) : await readTextFile(configPath)
  const config = withDir ? await uploadBeside(context, solution, given, quiet) : given
  const client = await context.connect()
  const send = () => client.jobs.submit({ code, config, wait: false, deduplicate })
  const submitted = await (configPath === undefined ? withOptionErrors(send) : send())
  return followOrPrint(context, submitted, { wait, quiet, json })
}
