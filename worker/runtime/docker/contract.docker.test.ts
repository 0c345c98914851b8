import { z } from 'zod'
import { askEngine } from '../testing/engine-probe'
import { describeContract } from '../testing/runtime-contract'
import { TaskBench } from '../testing/task-bench'
import { products, startTestEngine } from '../testing/test-engines'

const inspectionSchema = z.object({ State: z.object({ Status: z.string() }) })

for (const product of products)
  describeContract(product, async () => {
    const { options, socketPath, close } = await startTestEngine(product)
    return {
      bench: new TaskBench(options),
      connect: () => new TaskBench(options).runtime,
      stateOf: async ({ id }) => {
        const { bytes } = await askEngine('GET', `/containers/${id}/json`, undefined, socketPath)
        return inspectionSchema.parse(JSON.parse(bytes.toString())).State.Status
      },
      removeByHand: async ({ id }) => {
        await askEngine('DELETE', `/containers/${id}?force=1`, undefined, socketPath)
      },
      close,
    }
  })
