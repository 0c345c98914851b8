import { vi } from 'vitest'

/**
 * Before each file: its modules are its own, and read its environment and its database. Packages stay loaded, which takes
 * longest. So does the schema engine, of which a process has only one.
 */
vi.unstubAllEnvs()
vi.resetModules()
// What modules keep once per process, such as cached forecasts, is about the database of an earlier file.
for (const name of Object.keys(globalThis)) {
  if (name.startsWith('gpuq') && name !== 'gpuqSchemaEngine') Reflect.deleteProperty(globalThis, name)
}
