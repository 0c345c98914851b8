import { z } from 'zod'
import { count } from './limits'
import { optionNames } from './values'

/** The environment variables for nodes that are started for one job. Part of `envSchema`. */
export const provisionVariables = {
  GPUQ_PROVISION_UP: z
    .string()
    .optional()
    .describe('shell command that starts nodes for one job; set it for the web server and all workers'),
  GPUQ_PROVISION_DOWN: z
    .string()
    .optional()
    .describe('shell command that stops the nodes that GPUQ_PROVISION_UP started'),
  GPUQ_PROVISION_DEADLINE_S: count
    .min(1)
    .default(1800)
    .describe('maximum time until the nodes of a job are ready'),
  GPUQ_PROVISION_OPTIONS: optionNames
    .optional()
    .describe(
      'options that a job may pass to GPUQ_PROVISION_UP with provision_args, separated by commas, such as `--network,--labels`; unset: none',
    ),
}
