import { type System, type SystemOptions, startSystem } from '../system/start-system'

/** Runs a measurement on a system of its own, whose log and rate limits do not disturb it. */
export async function withSystem<T>(
  systemOptions: SystemOptions,
  work: (system: System) => Promise<T>,
): Promise<T> {
  const system = await startSystem({
    ...systemOptions,
    env: { GPUQ_LOG_LEVEL: 'warn', GPUQ_WRITES_PER_MINUTE: '1000000', ...systemOptions.env },
  })
  const onInterrupt = () => system.stop().finally(() => process.exit(130))
  process.once('SIGINT', onInterrupt)
  try {
    return await work(system)
  } finally {
    process.off('SIGINT', onInterrupt)
    await system.stop()
  }
}
