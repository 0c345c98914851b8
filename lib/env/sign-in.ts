import { z } from 'zod'
import { flag } from './values'

/** The environment variables for signing in. Part of `envSchema`. */
export const signInVariables = {
  GPUQ_GITHUB_ID: z.string().optional().describe('sign-in with GitHub: client id'),
  GPUQ_GITHUB_SECRET: z.string().optional().describe('sign-in with GitHub: client secret'),
  GPUQ_OIDC_ISSUER: z.url().optional().describe('sign-in with an OIDC provider: issuer address'),
  GPUQ_OIDC_ID: z.string().optional().describe('sign-in with an OIDC provider: client id'),
  GPUQ_OIDC_SECRET: z.string().optional().describe('sign-in with an OIDC provider: client secret'),
  GPUQ_OIDC_NAME: z.string().default('Single sign-on').describe('label of the button for it'),
  GPUQ_SECURE_COOKIES: flag
    .optional()
    .describe('whether cookies are secure; unset: true if GPUQ_URL is https'),
}
