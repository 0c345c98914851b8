import { envSchema } from '@/lib/env'

const dependsOnMachine = new Set(['GPUQ_DATA_DIR', 'GPUQ_NODE_NAME'])

/** Every environment variable with its meaning and default, for the admin guide. */
export function describeEnv(): { name: string; meaning: string; fallback: string }[] {
  return Object.entries(envSchema.shape).map(([name, schema]) => {
    const fallback = schema.safeParse(undefined)
    const fixed = fallback.success && fallback.data !== undefined && !dependsOnMachine.has(name)
    return { name, meaning: schema.description ?? '', fallback: fixed ? `\`${fallback.data}\`` : '' }
  })
}
