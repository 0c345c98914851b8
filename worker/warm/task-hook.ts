import { artifactPlaces } from '../artifacts/artifacts-directory'
import type { MakeTaskHook } from '../node/task/task-hook'
import type { WarmLimits } from './plan-warm'
import { WarmPool } from './warm-pool'

/** Keeps containers that wait for a task, and gives one to each task that can use it. */
export const warmContainers =
  (limits: WarmLimits, resultsLimitBytes: number | null): MakeTaskHook =>
  (node) => {
    const pool = new WarmPool(node, limits, resultsLimitBytes)
    return {
      prestart: async ({ task, container, opened }) => {
        // These files are not known when a container is created in advance.
        const needsMore =
          task.mounts.length > 0 || task.spec.working_directory !== undefined || task.run !== null
        if (limits.containers === 0 || needsMore) return {}
        void opened.then((made) => pool.settle(task.id, made?.warm === true))
        const places = await artifactPlaces(node, resultsLimitBytes, task, container)
        const warm = await pool.take({ ...container, ...places })
        return warm === undefined ? {} : { warm }
      },
      serve: (_use, signal) => pool.run(signal),
      close: () => pool.close(),
    }
  }
