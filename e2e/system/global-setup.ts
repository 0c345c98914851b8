import { registerAbsentNode } from './absent-node'
import { startSystem } from './start-system'
import { announceSystem, wasAnnounced } from './the-system'

/**
 * One system for the whole run; returns how to stop it. A system that the environment names already is used as it is and
 * left running, which saves its start while a test is being written.
 */
export default async function globalSetup(): Promise<() => Promise<void>> {
  if (wasAnnounced()) return async () => {}
  const system = await startSystem()
  await registerAbsentNode(system.databaseUrl)
  announceSystem(system)
  return () => system.stop()
}
