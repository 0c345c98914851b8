import { vi } from 'vitest'

/** Before each file: its modules are its own, and read its environment. Packages stay loaded, which takes longest. */
vi.unstubAllEnvs()
vi.resetModules()
