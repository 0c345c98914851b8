import { type System, type SystemOptions, startSystem } from '../system/start-system'

/** What measurements have started and not stopped yet. */
const started = new Set<() => Promise<void>>()

/** Runs a measurement on a system of its own, whose log and rate limits do not disturb it. */
export async function withSystem<T>(
  systemOptions: SystemOptions,
  work: (system: System) => Promise<T>,
): Promise<T> {
  const system = await startSystem({
    ...systemOptions,
    env: { GPUQ_LOG_LEVEL: 'warn', GPUQ_WRITES_PER_MINUTE: '1000000', ...systemOptions.env },
  })
  return withCleanup(system.stop, () => work(system))
}

/** Runs `work`, and afterwards `stop`. Ctrl-C runs `stop` at once. */
export async function withCleanup<T>(stop: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  let stopping: Promise<void> | undefined
  const stopOnce = () => {
    stopping ??= stop().then(() => {})
    return stopping
  }
  started.add(stopOnce)
  try {
    return await work()
  } finally {
    await stopOnce()
    started.delete(stopOnce)
  }
}

/** Stops what measurements have started, so that they fail and end. */
export async function stopAll(): Promise<void> {
  await Promise.allSettled([...started].map((stop) => stop()))
}
