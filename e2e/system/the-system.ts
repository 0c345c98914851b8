import { z } from 'zod'
import type { System } from './start-system'

/** The system under test as tests reach it; only global setup can stop it. */
export type RunningSystem = Omit<System, 'stop' | 'pids'>

const variable = 'GPUQ_E2E_SYSTEM'

const schema = z.object({
  url: z.url(),
  dataDir: z.string(),
  databaseUrl: z.string(),
  adminToken: z.string(),
  adminEmail: z.string(),
  adminPassword: z.string(),
}) satisfies z.ZodType<RunningSystem>

/** Hands the system over to the processes that run the tests: they inherit the environment. */
export function announceSystem(system: RunningSystem): void {
  process.env[variable] = JSON.stringify(schema.parse(system))
}

export function wasAnnounced(): boolean {
  return process.env[variable] !== undefined
}

/** The system under test. */
export function theSystem(): RunningSystem {
  return schema.parse(JSON.parse(process.env[variable] ?? 'null'))
}
